"""Tests of the pages of the whole fleet, of lists, and of what administrators set up."""
from suite import REFUSED, test


def pages(_):
    """The pages of each role."""
    return {"admin": [("fleet-overview", "/fleet")], "viewer": [("viewer-fleet", "/fleet")]}


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
