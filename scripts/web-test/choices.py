"""Tests of pages on which several things are chosen or compared."""
import datetime

from suite import test
from workshop import choose
from fleet import rows


@test
def list_is_sorted_by_a_click_on_a_heading_and_restricted_to_a_vehicle_a_driver_and_a_period(browser):
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


@test
def week_of_assignments_is_a_calendar_from_which_vehicles_are_assigned(browser):
    server = browser.stage.server
    browser.sign_in("admin")
    browser.go("/assignments")
    browser.click(".tabs a", "Calendar")
    row = lambda vehicle: next((row for row in browser.all(".calendar tbody tr") if row.find_element("css selector", "th").text.startswith(vehicle)), None)
    browser.until(lambda: row("VAN-001") and "Jane Smith" in row("VAN-001").text, "the assignment")
    assert row("VAN-014") and "Jane Smith" not in row("VAN-014").text
    # The assignment without an end fills the rest of the week, and begins at its time.
    assert "from " in row("VAN-001").text
    browser.click(".controls [aria-label='The week after']")
    browser.until(lambda: "week=" in browser.script("return location.search"), "the next week")
    browser.until(lambda: row("VAN-001") and len(row("VAN-001").find_elements("css selector", "a.bar-link")) == 7, "all days of the next week")
    browser.click("[aria-label='Assign: VAN-014']")
    browser.until(lambda: browser.element("#field-vehicleId").get_attribute("value") == "VAN-014", "the vehicle")
    begin = browser.element("#field-from").get_attribute("value")
    assert begin.endswith("T00:00"), begin
    choose(browser, "#field-driverId", "Eva Lang")
    browser.click(".form .button.primary")
    browser.sees("Cancel assignment")
    [made] = server.send("GET", "/api/assignments?vehicle=VAN-014&status=active")["data"]
    browser.go("/assignments/calendar?used=true")
    shown = lambda: browser.all(".calendar tbody tr")
    browser.until(lambda: row("VAN-001") and all(one.find_elements("css selector", ".bar-link") for one in shown()), "only assigned vehicles")
    browser.click(".controls [aria-label='The week after']")
    browser.until(lambda: row("VAN-014") and "Eva Lang" in row("VAN-014").text, "the new assignment")
    browser.click(".calendar a", "Eva Lang")
    browser.until(lambda: browser.script("return location.pathname") == "/assignments/" + made["id"], "the assignment")
    server.send("POST", f"/api/assignments/{made['id']}/cancel")
    # Drivers see their own week.
    browser.sign_in("driver")
    browser.go("/assignments/calendar")
    browser.until(lambda: row("VAN-001") and len(browser.all(".calendar tbody tr")) == 1, "the own vehicle")


@test
def several_vehicles_are_changed_together_and_it_is_undone(browser):
    server = browser.stage.server
    fleet = lambda vehicle: server.send("GET", "/api/vehicles/" + vehicle)["fleetId"]
    before = fleet("VAN-001")
    singen = server.send("GET", "/api/fleets?q=Singen")["data"][0]["id"]
    browser.sign_in("admin")
    browser.go("/vehicles")
    browser.sees("VAN-001")
    for vehicle in ("VAN-001", "TRUCK-012"):
        browser.click("td.tick input", f"Choose {vehicle}")
    browser.sees("2 chosen")
    browser.click(".bulk .button", "Edit together")
    choose(browser, "dialog #field-fleetId", "Singen")
    browser.click("dialog .form .button.primary")
    browser.sees("2 were changed")
    assert (fleet("VAN-001"), fleet("TRUCK-012"), fleet("CAR-003")) == (singen, singen, before)
    assert server.send("GET", "/api/vehicles/VAN-001")["make"] == "Ford"
    browser.gone("2 chosen")
    browser.click(".message .plain", "Undo")
    browser.until(lambda: (fleet("VAN-001"), fleet("TRUCK-012")) == (before, before), "the fleet before")
    # All that are shown, and what the server does not accept.
    browser.click("th.tick label")
    browser.sees(f"{len(rows(browser))} chosen")
    browser.click(".bulk .button", "Clear the choice")
    browser.gone(" chosen")
    # Viewers choose nothing.
    browser.sign_in("viewer")
    browser.go("/vehicles")
    browser.sees("VAN-001")
    assert not browser.all(".tick")


@test
def audit_is_restricted_to_a_vehicle(browser):
    server = browser.stage.server
    browser.sign_in("admin")
    browser.go("/audit")
    browser.until(lambda: len(rows(browser)) > 10, "the audit")
    choose(browser, "#filter-vehicle", "VAN-014")
    expected = server.send("GET", "/api/audit?vehicle=VAN-014&limit=100")["data"]
    browser.until(lambda: [row.split()[0] for row in rows(browser)] == [str(entry["number"]) for entry in expected], "the entries of the vehicle")


@test
def reports_are_restricted_to_a_fleet(browser):
    server = browser.stage.server
    [fleet] = server.send("GET", "/api/fleets?q=Konstanz")["data"]
    today = datetime.date.today()
    for body in ({"kind": "trips", "fleetId": fleet["id"]}, {"kind": "fuel"}):
        server.send("POST", "/api/reports", {**body, "groupBy": "vehicle", "from": str(today - datetime.timedelta(7)), "to": str(today)})
    browser.sign_in("admin")
    browser.go("/reports")
    browser.until(lambda: any("Konstanz" in row for row in rows(browser)) and not all("Konstanz" in row for row in rows(browser)), "both reports")
    choose(browser, "#filter-fleetId", "Konstanz")
    browser.until(lambda: rows(browser) and all("Konstanz" in row for row in rows(browser)), "the reports of the fleet")
    browser.script("const field = document.querySelector('.filters select'); field.value = 'fuel'; field.dispatchEvent(new Event('change', {bubbles: true}))")
    browser.sees("Nothing matches the filters")
    assert "kind=fuel" in browser.script("return location.search")
