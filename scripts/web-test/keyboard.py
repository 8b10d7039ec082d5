"""The main tasks with the keyboard alone: only keys are pressed, and each element is reached with Tab."""
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from suite import PASSWORD, REFUSED, test

# More elements than any page of the demo has between two of a task.
MOST_TABS = 150
# Whether the focused element, or the control around it, is seen and has a visible mark of the focus.
MARKED = """
    let element = document.activeElement;
    const box = element.getBoundingClientRect();
    const isSeen = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
    for (let depth = 0; depth < 3 && element; depth++, element = element.parentElement) {
      const style = getComputedStyle(element);
      if (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1) return isSeen;
    }
    return false;"""


class Keyboard:
    """A browser of which only the keyboard is used."""

    def __init__(self, browser):
        self.browser = browser

    def press(self, *keys):
        ActionChains(self.browser.driver).send_keys(*keys).perform()

    def name(self):
        element = self.browser.driver.switch_to.active_element
        return element.accessible_name

    def reach(self, name, backwards=False):
        """Presses Tab until the element with this accessible name has the focus, and checks that the focus is visible."""
        seen = []
        self.browser.calm()
        for _ in range(MOST_TABS):
            if backwards:
                ActionChains(self.browser.driver).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
            else:
                self.press(Keys.TAB)
            found = self.name()
            seen.append(found)
            if found == name or found.startswith((name + " ", name + ":", name + ",")):
                assert self.browser.script(MARKED), f"{name}: the focus is not visible"
                return
        raise AssertionError(f"{name}: not reached with Tab; reached {seen}")

    def choose(self, name):
        """Reaches an element and presses Enter."""
        self.reach(name)
        self.press(Keys.ENTER)

    def write(self, name, text):
        self.reach(name)
        ActionChains(self.browser.driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
        self.press(text)


@test
def person_signs_in_finds_a_vehicle_and_signs_out_with_the_keyboard_alone(browser):
    keyboard = Keyboard(browser)
    server = browser.stage.server
    person = server.send("POST", "/api/people", {"firstName": "Kay", "lastName": "Board", "email": "kay@fleet.example", "roles": ["admin"]})
    token = server.send("POST", f"/api/people/{person['id']}/invite")["token"]
    browser.open("/setup#" + token)
    browser.element("#password")
    keyboard.write("New password", PASSWORD)
    keyboard.press(Keys.ENTER)
    browser.until(lambda: browser.all("#email") or browser.all(".avatar"), "the account")
    browser.driver.delete_all_cookies()
    browser.open("/sign-in")
    browser.element("#email")
    # The field of the address has the focus from the start.
    browser.until(lambda: keyboard.name() == "Email address", "the focus")
    keyboard.press("kay@fleet.example")
    keyboard.write("Password", PASSWORD)
    keyboard.press(Keys.ENTER)
    browser.element(".avatar")
    # The first element leads past the menu to the content.
    browser.sees("VAN-007")
    browser.script("document.activeElement.blur()")
    keyboard.reach("Skip to the content")
    keyboard.press("/")
    browser.until(lambda: "search" in (browser.driver.switch_to.active_element.get_attribute("type") or ""), "the search field")
    keyboard.press("VAN-007")
    browser.element(".results a", "VAN-007")
    keyboard.press(Keys.ARROW_DOWN, Keys.ENTER)
    browser.sees("Volkswagen Transporter")
    keyboard.choose("Edit")
    keyboard.write("Notes", "Spare key in the office")
    keyboard.choose("Save")
    browser.sees("Saved")
    browser.sees("Spare key in the office")
    # A filter of a list, and the link of a row.
    keyboard.choose("Vehicles")
    browser.until(lambda: browser.driver.current_url.endswith("/vehicles"), "the list")
    keyboard.reach("Status")
    keyboard.press("In s")
    browser.until(lambda: "TRUCK-012" not in browser.text(), "the filtered list")
    keyboard.choose("CAR-003")
    browser.sees("BMW 320i")
    keyboard.reach("Kay Board", backwards=True)
    keyboard.press(Keys.ENTER)
    keyboard.choose("Sign out")
    browser.element("#email")
    # A request of the page before may arrive after the end of the session.
    return [REFUSED]


@test
def administrator_sorts_restricts_and_changes_vehicles_with_the_keyboard_alone(browser):
    keyboard = Keyboard(browser)
    server = browser.stage.server
    server.send("PUT", "/api/vehicles/KEY-1", {"name": "Key van", "make": "Opel"}, headers={"If-None-Match": "*"})
    browser.sign_in("admin")
    browser.sees("VAN-007")
    keyboard.choose("Vehicles")
    browser.sees("KEY-1")
    keyboard.choose("Make")
    browser.until(lambda: browser.element("th[aria-sort=ascending]").text == "Make", "the order")
    # The heading keeps the focus.
    keyboard.press(Keys.ENTER)
    browser.until(lambda: browser.element("th[aria-sort=descending]").text == "Make", "the reverse order")
    keyboard.reach("Choose Key van")
    keyboard.press(Keys.SPACE)
    browser.sees("1 chosen")
    keyboard.reach("Edit together", backwards=True)
    keyboard.press(Keys.ENTER)
    browser.element("dialog #field-notes")
    keyboard.write("Notes", "Only keys")
    keyboard.choose("Save")
    browser.sees("1 were changed")
    assert server.send("GET", "/api/vehicles/KEY-1")["notes"] == "Only keys"
    browser.gone("1 chosen")
    keyboard.choose("KEY-1")
    browser.sees("Trouble codes")
    # Escape closes the menu, and the focus is on its button.
    keyboard.choose("More")
    browser.element(".menu .items .button", "Delete")
    keyboard.press(Keys.ESCAPE)
    browser.until(lambda: keyboard.name() == "More", "the focus on the button")
    keyboard.press(Keys.ENTER)
    keyboard.choose("Delete")
    browser.element("dialog .danger-fill")
    keyboard.choose("Delete")
    browser.sees("The vehicle was deleted")


@test
def driver_works_with_the_keyboard_alone(browser):
    keyboard = Keyboard(browser)
    server = browser.stage.server
    browser.sign_in("driver")
    browser.sees("KN-FL 101")
    keyboard.choose("Start a journey")
    browser.element("dialog #field-odometer")
    # Escape closes a dialog, and the focus is where it was.
    keyboard.press(Keys.ESCAPE)
    browser.until(lambda: keyboard.name() == "Start a journey", "the focus on the button")
    keyboard.press(Keys.ENTER)
    browser.element("dialog #field-odometer")
    keyboard.choose("Start")
    browser.sees("Under way")
    [journey] = server.send("GET", "/api/journeys?status=inProgress")["data"]
    keyboard.choose("End the journey")
    browser.element("dialog #field-odometer")
    keyboard.choose("End")
    browser.until(lambda: server.send("GET", "/api/journeys/" + journey["id"])["status"] == "completed", "the end")
    browser.sees("Start a journey")
    keyboard.choose("Report a defect")
    keyboard.write("What is wrong", "Seat belt is stuck")
    keyboard.reach("Severity")
    keyboard.press("Min")
    keyboard.choose("Save")
    browser.sees("Seat belt is stuck")
    [defect] = server.send("GET", "/api/defects?vehicle=VAN-001&q=belt%20is")["data"]
    assert defect["severity"] == "minor", defect


@test
def mechanic_works_with_the_keyboard_alone(browser):
    keyboard = Keyboard(browser)
    server = browser.stage.server
    defect = server.send("POST", "/api/defects", {"vehicleId": "VAN-001", "severity": "major", "text": "Belt squeals"})
    browser.sign_in("maintenance")
    keyboard.choose("Workshop")
    browser.sees("Belt squeals")
    keyboard.choose("Belt squeals")
    browser.sees("Plan the repair")
    keyboard.choose("Plan the repair")
    browser.until(lambda: "Belt squeals" in browser.element(".chosen").text, "the chosen defect")
    keyboard.choose("Save")
    for command, seen in [("Start the work", "Finish the work"), ("Finish the work", "Done on")]:
        browser.element(".button", command)
        keyboard.choose(command)
        browser.element("dialog .button.primary")
        keyboard.choose(command)
        browser.until(lambda: not browser.all("dialog[open]"), "the end of the dialog")
        browser.sees(seen)
    browser.until(lambda: server.send("GET", "/api/defects/" + defect["id"])["status"] == "repaired", "the repaired defect")
