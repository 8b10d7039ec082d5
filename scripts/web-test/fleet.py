"""Tests of the pages of the whole fleet, of lists, and of what administrators set up."""
from suite import REFUSED, test


def pages(stage_):
    """The pages of each role."""
    journey = stage_.server.send("GET", "/api/journeys?vehicle=VAN-007")["data"][0]["id"]
    return {"admin": [("fleet-overview", "/fleet"), ("journey", f"/journeys/{journey}"), ("reconciliation", "/vehicles/VAN-001/reconciliation")], "viewer": [("viewer-fleet", "/fleet")]}


def rows(browser):
    return [row.text for row in browser.all("main tbody tr")]


def figure(browser, label):
    """The number of a tile."""
    return int(browser.element(".figures .tile", label).find_element("css selector", "b").text)


@test
def figures_of_the_fleet_lead_to_the_lists_that_they_count(browser):
    server = browser.stage.server
    server.send("PUT", "/api/vehicles/OLD-1", {"make": "Opel"}, headers={"If-None-Match": "*"})
    server.send("POST", "/api/vehicles/OLD-1/deactivate")
    unsafe = server.send("POST", "/api/defects", {"vehicleId": "OLD-1", "severity": "unsafe", "text": "Brake line leaks"})
    for role in ("viewer", "admin"):
        browser.sign_in(role)
        browser.click(".rail a", "Fleet")
        browser.sees("Active assignments")
        for label, count, path, seen, missing in [
                ("Available or assigned", 4, "/vehicles", "VAN-014", "OLD-1"), ("In service", 1, "/vehicles", "CAR-003", "VAN-014"),
                ("Overdue services", 1, "/service-schedules", "VAN-007", "TRUCK-012"), ("Unsafe defects", 1, "/defects", "Brake line leaks", "Left wiper")]:
            assert figure(browser, label) == count, (label, browser.element(".figures").text)
            browser.click(".figures a", label)
            browser.until(lambda: browser.script("return location.pathname") == path, path)
            browser.until(lambda: len(rows(browser)) == count, f"{count} rows")
            listed = "\n".join(rows(browser))
            assert seen in listed and missing not in listed, listed
            assert browser.all(".filters select option:checked")[0].get_attribute("value") or label == "Unsafe defects"
            browser.go("/fleet")
            browser.sees("Active assignments")
        assert "1 inactive" in browser.element(".figures .tile", "Vehicles").text
        # Those who have a vehicle now.
        assert any("VAN-001" in row and "Jane Smith" in row and "Assigned" in row for row in rows(browser)), rows(browser)
        assert bool(browser.all(".title .button")) == (role == "admin")
    browser.click(".figures a", "Silent gateways")
    browser.calm()
    assert browser.script("return location.pathname + location.search") == "/gateways?health=silent"
    server.send("POST", f"/api/defects/{unsafe['id']}/dismiss", {"reason": "test"})
    server.send("DELETE", "/api/vehicles/OLD-1")


@test
def list_is_sorted_by_a_click_on_a_heading_and_restricted_to_a_vehicle_a_driver_and_a_period(browser):
    from workshop import choose
    server = browser.stage.server
    browser.sign_in("admin")
    browser.go("/vehicles")
    browser.calm()
    first = lambda: rows(browser)[0]
    browser.until(lambda: "CAR-003" in first(), "sorted by id")
    assert browser.element("th[aria-sort=ascending]").text == "Id"
    browser.click("th .sort", "Make")
    browser.until(lambda: "BMW" in first() and browser.element("th[aria-sort=ascending]").text == "Make", "sorted by make")
    browser.click("th .sort", "Make")
    browser.until(lambda: "Volkswagen" in first() and browser.element("th[aria-sort=descending]").text == "Make", "in reverse order")
    # The address keeps the order.
    assert browser.script("return location.search") == "?sort=-make"
    # A column by which the server cannot sort has no button.
    browser.go("/expenses")
    browser.calm()
    assert [th.text for th in browser.all("th") if th.find_elements("css selector", "button")] == ["Category", "Time", "Paid to"]
    # A vehicle, by a part of its name.
    choose(browser, "#filter-vehicleId", "VAN-001")
    browser.until(lambda: rows(browser) and all("VAN-001" in row for row in rows(browser)), "the expenses of the vehicle")
    choose(browser, "#filter-driverId", "Eva Lang")
    browser.sees("Nothing matches the filters")
    browser.click("[aria-label='Remove the filter: Driver']")
    browser.until(lambda: rows(browser), "expenses again")
    whole = server.send("GET", "/api/expenses?sort=at")["data"]
    browser.click(".clear")
    browser.until(lambda: len(rows(browser)) == len(whole), "all expenses")
    day = whole[0]["at"][:10]
    browser.script("const field = document.querySelectorAll('.filters input[type=date]')[1]; field.value = arguments[0]; field.dispatchEvent(new Event('change', {bubbles: true}))", day)
    expected = server.send("GET", "/api/expenses?to=" + day)["data"]
    browser.until(lambda: len(rows(browser)) == len(expected) < len(whole), "the expenses until a day")
    # On a phone, the filters are folded, and their number is shown.
    browser.shape(390, 844, False)
    browser.click(".fold", "Filters: 1")
    browser.element(".filters.open input[type=date]")
    browser.shape(1440, 900, False)
    return [REFUSED]


def log_of(browser):
    return browser.element(".log").text


@test
def vehicle_is_taken_out_of_use_retired_taken_back_and_deleted(browser):
    server = browser.stage.server
    server.send("PUT", "/api/vehicles/SPARE-1", {"name": "Spare van", "make": "Opel"}, headers={"If-None-Match": "*"})
    def status():
        return server.send("GET", "/api/vehicles/SPARE-1")["status"]

    def command(label, seen, menu=True):
        if menu:
            browser.click(".menu > .button", "More")
        browser.click(".title .button", label)
        browser.element("dialog .button", label)
        browser.click("dialog .actions .button", label)
        browser.sees(seen)

    browser.sign_in("admin")
    browser.go("/vehicles/SPARE-1")
    command("Take out of use", "The vehicle is out of use")
    browser.sees("Inactive")
    assert status() == "inactive"
    command("Take into use", "The vehicle is in use again", menu=False)
    command("Retire", "The vehicle is retired")
    browser.sees("Retired")
    assert status() == "retired"
    command("Take back", "The vehicle belongs to the fleet again", menu=False)
    assert status() == "available"
    # Nothing happens before the question is answered.
    browser.click(".menu > .button", "More")
    browser.click(".title .button", "Delete")
    browser.sees("Spare van is deleted with all its records")
    browser.click("dialog .button", "Cancel")
    # What is in use cannot be deleted, and the reason is shown.
    driver = server.send("GET", "/api/drivers?q=Eva")["data"][0]["id"]
    assignment = server.send("POST", "/api/assignments", {"vehicleId": "SPARE-1", "driverId": driver, "from": server.send("GET", "/api/vehicles/SPARE-1")["updatedAt"]})
    browser.click(".menu > .button", "More")
    browser.click(".title .button", "Delete")
    browser.click("dialog .danger-fill")
    browser.sees("The vehicle is in use: end its assignment")
    browser.click("dialog .button", "Cancel")
    server.send("POST", f"/api/assignments/{assignment['id']}/end", {})
    command("Delete", "The vehicle was deleted")
    browser.until(lambda: browser.script("return location.pathname") == "/vehicles", "the list")
    # Only administrators have these commands.
    browser.sign_in("maintenance")
    browser.go("/vehicles/VAN-001")
    browser.sees("Trouble codes")
    assert not browser.all(".menu")
    return [REFUSED]


@test
def vehicle_shows_its_defects_work_documents_fills_and_expenses(browser):
    browser.sign_in("admin")
    browser.go("/vehicles/VAN-001")
    for title, text in [("Defects", "Left wiper leaves streaks"), ("Work orders", "€48.00"), ("Documents", "Fleet insurance 2026"), ("Fuel", "41.3 L"), ("Expenses", "Toll Collect")]:
        browser.until(lambda: any(card.text.startswith(title) and text in card.text.replace("\xa0", " ") for card in browser.all(".halves > .card")), f"{title}: {text}")
    browser.click("[aria-label='Documents: All']")
    browser.until(lambda: len(rows(browser)) == 2, "the documents of the vehicle")
    assert browser.element("#filter-vehicleId").get_attribute("value") == "VAN-001"
    browser.go("/vehicles/VAN-001")
    browser.click(".halves .button", "Add a document")
    browser.until(lambda: browser.element("#field-of-id").get_attribute("value") == "VAN-001", "the vehicle")


@test
def reviewer_sees_why_a_journey_is_to_be_checked_and_confirms_it(browser):
    server = browser.stage.server
    [journey] = server.send("GET", "/api/journeys?vehicle=VAN-007&needsReview=true")["data"]
    browser.sign_in("admin")
    browser.go("/journeys?needsReview=true")
    browser.until(lambda: len(rows(browser)) == 1, "one journey")
    browser.click("main tbody a")
    browser.sees("Why this journey is to be checked")
    assert "overlaps another journey of the driver or the vehicle" in browser.element(".review").text
    assert "Started" in log_of(browser) and "51,200 km" in log_of(browser).replace("\xa0", " ") and "overlaps another journey" in log_of(browser)
    # All journeys of the vehicle against its trips.
    browser.click(".button", "Compare with trips")
    browser.sees("Journeys without a trip")
    browser.sees("Trips without a journey")
    unclaimed = server.send("GET", "/api/vehicles/VAN-007/trips")["data"]
    assert unclaimed
    browser.click("td .button", "Declare a journey")
    browser.until(lambda: browser.element("#field-vehicleId").get_attribute("value") == "VAN-007" and browser.element("#field-startTime").get_attribute("value"), "the times of the trip")
    browser.go("/journeys/" + journey["id"])
    browser.click(".button", "Confirm")
    browser.click("dialog .button.primary")
    browser.sees("The journey was confirmed")
    browser.gone("Why this journey is to be checked")
    assert "overlapped another journey; confirmed" in log_of(browser)
    assert not server.send("GET", "/api/journeys/" + journey["id"])["needsReview"]


@test
def person_sees_only_chosen_fleets_and_an_administrator_ends_a_session(browser):
    from stage import Browser
    from workshop import choose
    server = browser.stage.server
    browser.sign_in("admin")
    browser.go("/people/new")
    browser.fill("#field-firstName", "Sina")
    browser.fill("#field-lastName", "Wolf")
    browser.fill("#field-email", "sina@fleet.example")
    for role, wanted in (("Driver", False), ("Viewer", True)):
        box = next(label for label in browser.all(".check") if label.text == role)
        if box.find_element("css selector", "input").is_selected() != wanted:
            box.click()
    browser.click(".check", "Only these fleets")
    browser.click(".form .button.primary")
    # At least one fleet is needed.
    browser.until(lambda: "What the person sees: choose one" in browser.element(".summary").text, "the fault")
    choose(browser, "#field-scope-fleets", "Konstanz")
    choose(browser, "#field-scope-fleets", "Singen")
    browser.click("[aria-label='Remove: Singen']")
    browser.click(".form .button.primary")
    browser.sees("Not signed in anywhere")
    browser.until(lambda: "Konstanz" in browser.element(".facts").text, "the fleet")
    [person] = [one for one in server.send("GET", "/api/people?q=Sina")["data"]]
    konstanz = server.send("GET", "/api/fleets?q=Konstanz")["data"][0]["id"]
    assert person["scope"] == [konstanz] and person["roles"] == ["viewer"], person
    # Another administrator gives all fleets meanwhile: the conflict is at the field.
    browser.click(".button", "Edit")
    browser.element("[aria-label='Remove: Konstanz']")
    choose(browser, "#field-scope-fleets", "Singen")
    server.send("PATCH", "/api/people/" + person["id"], {"scope": "all"}, headers={"If-Match": "*"})
    browser.click(".form .button.primary")
    browser.until(lambda: "All fleets and vehicles" in browser.element(".conflict").text, "the conflict")
    browser.click(".conflict .button", "Take the stored one")
    browser.click(".form .button.primary")
    browser.until(lambda: "All fleets and vehicles" in browser.element(".facts").text, "all fleets")
    # A session of another person.
    other = Browser(browser.stage)
    try:
        other.sign_in("driver")
        other.sees("KN-FL 101")
        browser.go("/people/" + browser.stage.accounts["driver"]["id"])
        browser.click(".links .button", "Sign out there")
        browser.sees("Jane Smith is signed out in Chrome")
        browser.click("dialog .danger-fill")
        browser.sees("The session has ended")
        other.go("/journeys")
        other.sees("Your session has ended")
    finally:
        other.close()
    # A person is erased after a question.
    browser.go("/people/" + person["id"])
    browser.click(".menu > .button", "More")
    browser.click(".title .button", "Erase")
    browser.click("dialog .danger-fill")
    browser.sees("The account was erased")
    browser.until(lambda: browser.script("return location.pathname") == "/people", "the list")
    return [REFUSED]
