"""Tests of the pages of checklists."""
from selenium.webdriver.common.keys import Keys

from suite import XSS, test


def pages(stage_):
    """The pages of each role."""
    server = stage_.server
    own = [entry for entry in server.send("GET", "/api/checklists?all=true")["data"] if "id" in entry]
    crane = own[0]["id"] if own else server.send("POST", "/api/checklists", {
        "name": "crane", "text": "Crane, every day", "vehicleTypes": ["equipment"], "items": [{"item": "hoses", "text": "Hoses and couplings"}, {"item": "hook", "text": "Hook and its latch"}]})["id"]
    listed = [("checklists", "/checklists"), ("checklist-built-in", "/checklists/car"), ("checklist", f"/checklists/{crane}")]
    return {
        "maintenance": [*listed, ("checklist-edit", f"/checklists/{crane}/edit"), ("checklist-new", "/checklists/new"), ("checklist-copy", "/checklists/new?from=commercialVehicle")],
        "viewer": [("viewer-" + name, path) for name, path in listed]}


def texts(browser):
    return [item.text.split("\n")[-1] for item in browser.all("ol.check-items.shown li")]


def entered(browser):
    return [item.get_attribute("value") for item in browser.all("ol.check-items input")]


def focused(browser):
    return browser.script("const at = document.activeElement; return [at.closest('li') ? [...at.closest('ol').children].indexOf(at.closest('li')) : -1, at.className || at.tagName.toLowerCase()]")


def row(browser, text):
    browser.until(lambda: any(text in one.text for one in browser.all("main tbody tr")), "the row " + text)
    return next(one.text for one in browser.all("main tbody tr") if text in one.text)


@test
def checklists_are_made_adapted_copied_and_switched_off(browser):
    server = browser.stage.server
    before = {entry.get("id") for entry in server.send("GET", "/api/checklists?all=true")["data"]}

    def own():
        return [entry for entry in server.send("GET", "/api/checklists?all=true")["data"] if "id" in entry and entry["id"] not in before]

    browser.sign_in("maintenance")
    browser.go("/maintenance")
    browser.click(".tabs a", "Checklists")
    assert "In use" in row(browser, "Walk around the vehicle") and "Car, Motorcycle, Van" in row(browser, "Walk around the vehicle").replace("Car, Van, Motorcycle", "Car, Motorcycle, Van")
    # A built-in list is adapted: only the keyboard is used for its items.
    browser.click("main tbody a", "Walk around the vehicle")
    browser.click(".title .button", "Adapt")
    browser.until(lambda: entered(browser)[:1] == ["Tyres: pressure, tread, damage"], "the items of the built-in list")
    count = len(entered(browser))
    browser.element("ol.check-items li:first-child .down").send_keys(Keys.ENTER)
    browser.until(lambda: entered(browser)[1] == "Tyres: pressure, tread, damage" and focused(browser) == [1, "plain down"], "the tyres in the second place")
    browser.element("ol.check-items li:nth-child(2) .up").send_keys(Keys.ENTER)
    browser.until(lambda: focused(browser) == [0, "input"], "the focus in the first place")
    first = browser.element("ol.check-items li:first-child input")
    first.clear()
    first.send_keys("Tyres and wheel nuts", Keys.ENTER)
    browser.until(lambda: focused(browser) == [1, "input"], "a new item")
    browser.driver.switch_to.active_element.send_keys("Feuerlöscher (2 kg)")
    browser.element("ol.check-items li:last-child .remove").send_keys(Keys.ENTER)
    browser.until(lambda: len(entered(browser)) == count, "one item less")
    browser.click(".line-actions .button", "Undo")
    browser.until(lambda: len(entered(browser)) == count + 1, "the item is back")
    browser.click(".form > .actions .button.primary")
    browser.sees("Saved")
    browser.until(lambda: texts(browser)[:2] == ["Tyres and wheel nuts", "Feuerlöscher (2 kg)"], "the list")
    [adapted] = own()
    assert adapted["name"] == "car" and [item["item"] for item in adapted["items"]][:3] == ["tyres", "feuerloscher2Kg", "lights"] and len(adapted["items"]) == count + 1, adapted
    browser.go("/checklists")
    browser.until(lambda: len([one for one in browser.all("main tbody tr") if "Walk around the vehicle" in one.text]) == 2, "both lists")
    assert "Replaced by your own" in browser.text()
    # A driver is asked for the items of this list, in the words of the tenant.
    browser.sign_in("driver")
    browser.go("/inspections/new?vehicleId=VAN-001&kind=preTrip")
    browser.sees("Feuerlöscher (2 kg)")
    assert "Tyres and wheel nuts" in browser.text() and "Tyres: pressure" not in browser.text()
    # A list can be switched off, and on again at once.
    browser.sign_in("maintenance")
    browser.go(f"/checklists/{adapted['id']}")
    browser.click(".menu > .button", "More")
    browser.click(".title .button", "Switch off")
    browser.until(lambda: "Drivers no longer get the list" in browser.element("dialog").text, "the question")
    browser.click("dialog .button.primary, dialog .danger-fill")
    browser.sees("The list is switched off")
    browser.click(".message .plain", "Undo")
    browser.until(lambda: own()[0]["isActive"], "the list in use")
    browser.until(lambda: "In use" in browser.element(".title").text, "the state")
    # A copy has the items, and needs a type of vehicle.
    browser.click(".title .button", "Copy")
    browser.until(lambda: entered(browser)[:1] == ["Tyres and wheel nuts"], "the copied items")
    browser.click(".form > .actions .button.primary")
    browser.until(lambda: "Used for" in browser.element(".summary").text, "the fault")
    field = browser.element("#field-text")
    assert field.get_attribute("value") == "Copy of Walk around the vehicle"
    browser.fill("#field-text", "Buses")
    browser.click(".check", "Bus")
    browser.click(".form > .actions .button.primary")
    browser.sees("Saved")
    browser.until(lambda: "Buses" in browser.element("h1").text, "the copy")
    copy = next(entry for entry in own() if entry["text"] == "Buses")
    assert copy["vehicleTypes"] == ["bus"] and copy["items"] == adapted["items"], copy
    # The own list comes before the built-in one, which says so.
    browser.go("/checklists/commercialVehicle")
    browser.sees("Bus: “Buses” comes first.")
    # An empty list is refused at its field.
    browser.go("/checklists/new")
    browser.fill("#field-text", XSS)
    browser.click(".check", "Trailer")
    browser.click(".form > .actions .button.primary")
    browser.until(lambda: "Items: enter at least one item" in browser.element(".summary").text, "the fault of the items")
    browser.fill("ol.check-items input", XSS)
    browser.click(".form > .actions .button.primary")
    browser.until(lambda: XSS in browser.element("h1").text and texts(browser) == [XSS], "the hostile text as text")
    assert browser.script("return window.pwned") is None
    # What other tests see is as before.
    for entry in own():
        server.send("PATCH", "/api/checklists/" + entry["id"], {"isActive": False, "name": entry["id"], "text": "Old list"}, headers={"If-Match": "*"})


@test
def checklists_are_only_read_by_viewers_and_are_complete_in_german(browser):
    browser.open("/sign-in")
    browser.script("localStorage.setItem('language', 'de')")
    browser.sign_in("viewer")
    browser.go("/checklists")
    browser.sees("Rundgang um das Fahrzeug")
    browser.sees("Fahrzeuge aller anderen Arten")
    assert not browser.all(".title .button")
    browser.go("/checklists/commercialVehicle")
    browser.sees("Betriebsbremse")
    assert not browser.all(".title .button")
    browser.sign_in("maintenance")
    browser.go("/checklists/new?from=car")
    browser.sees("In der Reihenfolge des Rundgangs")
    browser.until(lambda: entered(browser) and "Reifen" in entered(browser)[0], "the items in German")
    missing = browser.script(r"return document.body.innerText.match(/\b(checklists?|checkItem|field)\.[a-zA-Z.]+\b/g)")
    assert not missing, missing
    browser.script("localStorage.setItem('language', 'en')")
