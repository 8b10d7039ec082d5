"""Tests of the pages for the workshop and the drivers: maintenance, inspections, documents, notifications, imports."""
import time

from suite import REFUSED, test, XSS


def first(stage_, path):
    """The first thing of a list."""
    return stage_.server.send("GET", path + ("&" if "?" in path else "?") + "limit=1")["data"][0]


def pages(stage_):
    """The pages of each role."""
    record = first(stage_, "/api/maintenance-records?status=inProgress")["id"]
    schedule = first(stage_, "/api/service-schedules?vehicle=VAN-001")["id"]
    of_fleet = next(one for one in stage_.server.send("GET", "/api/service-schedules")["data"] if one.get("fleetId"))["id"]
    defect = first(stage_, "/api/defects?q=brake")["id"]
    report = first(stage_, "/api/inspections?vehicle=VAN-007")["id"]
    document = first(stage_, "/api/documents?q=2026")["id"]
    reading = first(stage_, "/api/meter-readings?vehicle=VAN-014&source=manual")["id"]
    rule = first(stage_, "/api/rules")["id"]
    own_type = next(one for one in stage_.server.send("GET", "/api/service-types?limit=1000")["data"] if one["code"] == "tachograph")["id"]
    drafts = stage_.server.send("GET", "/api/inspections?status=draft&vehicle=TRUCK-012")["data"]
    draft = (drafts[0] if drafts else stage_.server.send("POST", "/api/inspections", {
        "vehicleId": "TRUCK-012", "driverId": first(stage_, "/api/drivers?q=Omar")["id"], "kind": "postTrip", "items": [{"item": "horn", "result": "ok"}]}))["id"]
    return {
        "maintenance": [
            ("board", "/maintenance"), ("records", "/maintenance-records"), ("record", f"/maintenance-records/{record}"), ("record-edit", f"/maintenance-records/{record}/edit"),
            ("record-new", "/maintenance-records/new"), ("schedules", "/service-schedules"), ("schedule", f"/service-schedules/{schedule}"), ("schedule-fleet", f"/service-schedules/{of_fleet}"),
            ("schedule-new", "/service-schedules/new"), ("defects", "/defects"), ("defect", f"/defects/{defect}"), ("readings", "/meter-readings"), ("reading", f"/meter-readings/{reading}"),
            ("types", "/service-types"), ("type", f"/service-types/{own_type}"), ("inspections", "/inspections"), ("inspection", f"/inspections/{report}"), ("inspection-edit", f"/inspections/{draft}/edit"), ("documents", "/documents"), ("document", f"/documents/{document}"),
            ("document-new", "/documents/new"), ("notifications", "/notifications")],
        "admin": [("rules", "/rules"), ("rule-edit", f"/rules/{rule}/edit"), ("imports", "/imports")],
        "driver": [("check", "/inspections/new?vehicleId=VAN-001&kind=preTrip"), ("my-inspections", "/inspections"), ("defect-new", "/defects/new?vehicleId=VAN-001"), ("my-defects", "/defects")],
    }


@test
def due_service_becomes_a_work_order_and_the_vehicle_comes_back(browser):
    server = browser.stage.server
    browser.sign_in("maintenance")
    browser.go("/maintenance")
    browser.element("[aria-labelledby=column-overdue] .job", "Brake service")
    browser.click("[aria-labelledby=column-overdue] .job .button", "Start the work: Brake service, VAN-007")
    browser.click("dialog .button.primary")
    browser.element("[aria-labelledby=column-inProgress] .job", "Brake service")
    assert server.send("GET", "/api/vehicles/VAN-007")["status"] == "inService"
    browser.click("[aria-labelledby=column-inProgress] .job-link", "Brake service")
    browser.click(".button", "Add labour or parts")
    browser.click(".line-actions .button", "Add a line")
    browser.fill(".line-list li:last-child .text", "Brake discs")
    browser.fill(".line-list li:last-child [aria-label=Quantity]", "2")
    browser.fill(".line-list li:last-child [aria-label=Cost]", "179.905")
    browser.sees("€179.905")
    # A text that is not an amount stays, and is not stored without a word.
    browser.click(".line-actions .button", "Add a line")
    browser.fill(".line-list li:last-child .text", "Labour")
    browser.fill(".line-list li:last-child [aria-label=Cost]", "ninety")
    browser.click(".form .button.primary")
    browser.until(lambda: "each line needs" in browser.element(".summary").text, "the fault")
    browser.fill(".line-list li:last-child [aria-label=Cost]", "90")
    browser.click(".form .button.primary")
    browser.until(lambda: "€269.905" in browser.element(".lines tfoot").text, "the sum of the lines")
    browser.click(".button", "Finish the work")
    browser.fill("dialog #field-odometer", "51.234")
    browser.click("dialog .button.primary")
    browser.sees("the vehicle is available again")
    [record] = server.send("GET", "/api/maintenance-records?vehicle=VAN-007&status=completed")["data"]
    assert record["cost"] == {"amount": "269.905", "currency": "EUR"} and len(record["lines"]) == 2, record
    assert server.send("GET", "/api/vehicles/VAN-007")["status"] == "assigned"
    [schedule] = server.send("GET", "/api/service-schedules?vehicle=VAN-007")["data"]
    assert schedule["state"] == "ok", schedule
    browser.go("/maintenance")
    browser.element("[aria-labelledby=column-dueSoon] .job")
    browser.gone("Brake service")


@test
def schedule_is_made_and_postponed_with_the_intervals_that_people_write(browser):
    server = browser.stage.server
    browser.sign_in("maintenance")
    browser.go("/service-schedules/new")
    browser.element("#field-serviceType option[value=tachograph]")
    browser.script("const field = document.getElementById('field-serviceType'); field.value = 'tachograph'; field.dispatchEvent(new Event('input', {bubbles: true}))")
    choose(browser, "#field-vehicleId", "TRUCK-012")
    browser.fill("#field-every-kilometers", "1,000 mi")
    browser.until(lambda: "1,609.34 km" in browser.element("#field-every-kilometers-meaning").text, "how the distance is understood")
    browser.fill("#field-every-months", "24")
    browser.fill("#field-lastService-date", day(-800, "%m%d%Y"))
    browser.click(".form .button.primary")
    browser.sees("Overdue")
    [made] = [one for one in server.send("GET", "/api/service-schedules?vehicle=TRUCK-012")["data"] if one["serviceType"] == "tachograph"]
    assert made["every"] == {"kilometers": 1609.344, "months": 24, "entered": {"kilometers": {"value": 1000, "unit": "mi"}}}, made
    browser.click(".button", "Postpone: TRUCK-012")
    browser.click("dialog .button.primary")
    browser.sees("The service is postponed")
    browser.sees("Postponed")
    assert server.send("GET", "/api/service-schedules/" + made["id"])["state"] == "snoozed"
    browser.click(".button", "Record as done: TRUCK-012")
    browser.click("dialog .button.primary")
    browser.sees("the next interval has begun")
    browser.sees("Not due")


def day(days, form="%Y-%m-%d"):
    return time.strftime(form, time.localtime(time.time() + 86_400 * days))


def choose(browser, selector, text):
    """Chooses a thing by typing a part of its name."""
    from selenium.webdriver.common.keys import Keys
    field = browser.element(selector)
    field.send_keys(text)
    browser.element(".combo [role=option]", text)
    field.send_keys(Keys.ENTER)
    browser.until(lambda: not browser.all(".combo [role=listbox]:not([hidden])"), "the choice of " + text)


@test
def defect_is_reported_repaired_and_checked(browser):
    server = browser.stage.server
    browser.sign_in("driver")
    browser.click(".button", "Report a defect")
    browser.fill("#field-text", "Sliding door jams")
    browser.script("const field = document.getElementById('field-severity'); field.value = 'unsafe'; field.dispatchEvent(new Event('input', {bubbles: true}))")
    browser.click(".form .button.primary")
    browser.sees("Saved")
    browser.sees("Sliding door jams")
    [defect] = server.send("GET", "/api/defects?vehicle=VAN-001&q=door")["data"]
    assert defect["severity"] == "unsafe" and defect["source"] == "driver", defect
    browser.sign_in("maintenance")
    browser.go("/maintenance")
    browser.click(".links a", "Sliding door jams")
    browser.click(".button", "Confirm")
    browser.click("dialog .button.primary")
    browser.sees("The defect is confirmed")
    browser.click(".button", "Plan the repair")
    browser.until(lambda: "Sliding door jams" in browser.element(".chosen").text, "the chosen defect")
    browser.click(".form .button.primary")
    browser.click(".button", "Start the work")
    browser.click("dialog .button.primary")
    browser.click(".button", "Finish the work")
    browser.click("dialog .button.primary")
    browser.sees("Done on")
    browser.click(".links a", "Sliding door jams")
    browser.click(".button", "Repair is checked")
    browser.click("dialog .button.primary")
    browser.sees("The repair is checked")
    assert server.send("GET", "/api/defects/" + defect["id"])["status"] == "verified"
    # What is no defect needs a reason.
    other = server.send("POST", "/api/defects", {"vehicleId": "VAN-001", "severity": "minor", "text": "Radio is loud"})
    browser.go("/defects/" + other["id"])
    browser.click(".button", "No defect")
    browser.click("dialog .button.primary")
    browser.until(lambda: "Reason: fill this in" in browser.element("dialog .summary").text, "the fault")
    browser.fill("dialog #field-reason", "Turned down")
    browser.click("dialog .button.primary")
    browser.sees("Turned down")


@test
def reading_is_understood_in_other_units_and_made_void_and_used_again(browser):
    server = browser.stage.server
    browser.sign_in("maintenance")
    browser.go("/meter-readings/new?vehicleId=VAN-014")
    browser.fill("#field-odometer", "40.000,5 mi")
    browser.until(lambda: "64,374.56 km" in browser.element("#field-odometer-meaning").text, "how it is understood")
    browser.click(".form .button.primary")
    browser.sees("64,374.6 km")
    reading = first(browser.stage, "/api/meter-readings?vehicle=VAN-014&sort=-at&source=manual")
    # Converted amounts have three digits. What the person wrote is stored beside them.
    assert reading["odometer"] == 64374.565 and reading["entered"] == {"odometer": {"value": 40000.5, "unit": "mi"}}, reading
    browser.click(".button", "Make void")
    browser.click("dialog .button.danger-fill")
    browser.sees("The reading is void")
    assert server.send("GET", "/api/meter-readings/" + reading["id"])["void"]
    browser.click(".message .plain", "Undo")
    browser.element(".button", "Make void")
    assert not server.send("GET", "/api/meter-readings/" + reading["id"])["void"]


@test
def documents_show_when_they_expire(browser):
    server = browser.stage.server
    browser.sign_in("maintenance")
    browser.go("/documents")
    browser.until(lambda: "Expired" in browser.element("tbody tr").text, "the document that expired, first")
    browser.sees("24 days left")
    browser.go("/documents/new?of.id=VAN-007")
    browser.script("const field = document.getElementById('field-kind'); field.value = 'permit'; field.dispatchEvent(new Event('input', {bubbles: true}))")
    browser.fill("#field-title", "Low emission zone")
    browser.fill("#field-issuedOn", day(30, "%m%d%Y"))
    browser.fill("#field-expiresOn", day(1, "%m%d%Y"))
    browser.click(".form .button.primary")
    # The server's fault is at the field to which it belongs.
    browser.until(lambda: "Expires on" in browser.element(".summary").text, "the fault")
    browser.fill("#field-issuedOn", day(-30, "%m%d%Y"))
    browser.click(".form .button.primary")
    browser.sees("Expires tomorrow")
    browser.sees("30 days and 7 days before")
    [made] = server.send("GET", "/api/documents?q=emission")["data"]
    assert made["of"] == {"kind": "vehicle", "id": "VAN-007"} and made["expiresOn"] == day(1), made
    return [REFUSED]


@test
def unread_count_falls_when_notifications_are_read(browser):
    server = browser.stage.server
    report = server.send("POST", "/api/inspections", {
        "vehicleId": "CAR-003", "driverId": first(browser.stage, "/api/drivers?q=Mia")["id"], "kind": "preTrip", "items": [{"item": "horn", "result": "defect", "note": "silent"}]})
    server.send("POST", f"/api/inspections/{report['id']}/sign", {"signature": "Mia Roth"})
    browser.sign_in("maintenance")
    browser.until(lambda: reload_unread_count(browser), "the notification")
    before = int(browser.element(".unread-count .count").text)
    browser.click(".unread-count")
    browser.click(".notes-list .unread a", "CAR-003")
    browser.sees("What was checked")
    browser.until(lambda: (int(browser.element(".unread-count .count").text) if browser.all(".unread-count .count") else 0) == before - 1, "one notification less")
    browser.go("/notifications")
    if before > 1:
        browser.click(".button", "Mark all as read")
    browser.until(lambda: not browser.all(".unread-count .count"), "no unread notification")
    browser.click(".chip", "Unread")
    browser.sees("Everything is read")


def reload_unread_count(browser):
    """Asks for notifications again, as when the window is shown again. Whether that of CAR-003 has arrived."""
    browser.script("document.dispatchEvent(new Event('visibilitychange'))")
    listed = browser.driver.execute_async_script("const done = arguments[0]; fetch('/api/notifications?unread=true').then(answer => answer.json()).then(done)")
    return any(one.get("vehicleId") == "CAR-003" for one in listed["data"]) and browser.all(".unread-count .count") and browser.element(".unread-count .count").text == str(len(listed["data"]))


@test
def rule_has_channels_and_quiet_hours_and_conflicts_are_shown(browser):
    server = browser.stage.server
    browser.sign_in("admin")
    browser.go("/rules/new")
    browser.fill("#field-name", "Nights off")
    browser.click("input[name=events] + span", "Incident during a journey")
    browser.click("input[name=roles] + span", "Mechanic")
    browser.click("input[name=channels] + span", "Email")
    browser.fill("#field-quietHours-from", "10:00PM")
    browser.fill("#field-quietHours-to", "06:00AM")
    choose(browser, "#field-personIds", "Tom Arendt")
    browser.until(lambda: "Tom Arendt" in browser.element(".chosen").text, "the chosen person")
    browser.click(".form .button.primary")
    browser.sees("Switch off")
    [rule] = [one for one in server.send("GET", "/api/rules")["data"] if one["name"] == "Nights off"]
    assert rule["quietHours"] == {"from": "22:00", "to": "06:00"} and rule["channels"] == ["inApp", "email"], rule
    assert rule["personIds"] == [browser.stage.accounts["maintenance"]["id"]], rule
    browser.click(".button", "Edit")
    browser.fill("#field-quietHours-to", "05:00AM")
    server.send("PATCH", "/api/rules/" + rule["id"], {"quietHours": {"to": "07:30"}, "digest": "hourly"}, headers={"If-Match": "*"})
    browser.click(".form .button.primary")
    browser.until(lambda: "07:30" in browser.element(".conflict").text, "the conflict")
    browser.click(".conflict .button", "Take the stored one")
    browser.click(".form .button.primary")
    browser.sees("Switch off")
    stored = server.send("GET", "/api/rules/" + rule["id"])
    assert stored["quietHours"] == {"from": "22:00", "to": "07:30"} and stored["digest"] == "hourly", stored
    # An empty object is removed.
    browser.click(".button", "Edit")
    browser.element("#field-quietHours-from")
    for name in ("from", "to"):
        browser.script("const field = document.getElementById(arguments[0]); field.value = ''; field.dispatchEvent(new Event('input', {bubbles: true}))", "field-quietHours-" + name)
    browser.click(".form .button.primary")
    browser.sees("Switch off")
    assert "quietHours" not in {name for name, value in server.send("GET", "/api/rules/" + rule["id"]).items() if value is not None}
    browser.click(".button", "Switch off")
    browser.click("dialog .button.primary")
    browser.sees("The rule is off")
    browser.click(".message .plain", "Undo")
    browser.element(".button", "Switch off")
    server.send("PATCH", "/api/rules/" + rule["id"], {"isActive": False}, headers={"If-Match": "*"})
    return [REFUSED]


@test
def file_is_checked_before_it_is_imported(browser):
    server = browser.stage.server
    browser.sign_in("admin")
    browser.go("/imports")
    path = browser.stage.folder + "/vehicles.csv"
    write(path, "id,make,modelYear\nNEW-1,Opel,2020\nNEW-2,Opel,long ago\n")
    browser.element("#import-file").send_keys(path)
    browser.click("form .button.primary")
    browser.sees("1 errors")
    browser.sees("Line 3, column 3")
    assert server.send("GET", "/api/vehicles?q=NEW-")["data"] == []
    write(path, "id,make,modelYear\nNEW-1,Opel,2020\nNEW-2,Opel,2021\n")
    browser.script("document.getElementById('import-file').value = ''")
    browser.element("#import-file").send_keys(path)
    browser.click("form .button.primary")
    browser.click(".button", "Import 2 rows")
    browser.sees("2 rows were stored")
    assert [one["id"] for one in server.send("GET", "/api/vehicles?q=NEW-&sort=id")["data"]] == ["NEW-1", "NEW-2"]
    for vehicle in ("NEW-1", "NEW-2"):
        server.send("DELETE", "/api/vehicles/" + vehicle)
    # A file that is no table is refused with the place.
    write(path, "id,\"make\nNEW-3,Opel")
    browser.script("document.getElementById('import-file').value = ''")
    browser.element("#import-file").send_keys(path)
    browser.click("form .button.primary")
    browser.sees("The file cannot be imported")
    return [REFUSED]


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


@test
def hostile_texts_of_the_workshop_are_shown_as_texts(browser):
    server = browser.stage.server
    def post(path, body):
        return server.send("POST", path, body)["id"]
    driver = first(browser.stage, "/api/drivers?q=Jane")["id"]
    defect = post("/api/defects", {"vehicleId": "VAN-001", "severity": "minor", "text": XSS})
    record = post("/api/maintenance-records", {"vehicleId": "VAN-001", "serviceType": "other", "vendorName": XSS, "performedBy": XSS[:190], "notes": XSS, "defectIds": [defect], "lines": [{"kind": "part", "text": XSS, "cost": {"amount": "1", "currency": "EUR"}}]})
    schedule = post("/api/service-schedules", {"vehicleId": "VAN-001", "serviceType": "other", "name": XSS, "notes": XSS, "every": {"days": 2}, "dueSoon": {"days": 5}})
    document = post("/api/documents", {"of": {"kind": "vehicle", "id": "VAN-001"}, "kind": "other", "title": XSS, "number": XSS[:90], "notes": XSS})
    report = post("/api/inspections", {"vehicleId": "VAN-001", "driverId": driver, "kind": "annual", "place": XSS, "notes": XSS, "items": [{"item": XSS, "result": "defect", "note": XSS}]})
    server.send("POST", f"/api/inspections/{report}/sign", {"signature": XSS})
    reading = post("/api/meter-readings", {"vehicleId": "VAN-001", "engineHours": 1, "notes": XSS})
    rule = post("/api/rules", {"name": XSS, "events": ["journeyIncident"], "isActive": False})
    code = post("/api/service-types", {"code": "hostile", "name": XSS, "notes": XSS})
    browser.sign_in("admin")
    for path in ["/maintenance", "/defects", f"/defects/{defect}", f"/defects/{defect}/edit", f"/maintenance-records/{record}", f"/maintenance-records/{record}/edit", f"/service-schedules/{schedule}",
                 "/documents", f"/documents/{document}", f"/inspections/{report}", f"/inspections/new?corrects={report}", f"/meter-readings/{reading}", "/rules", f"/rules/{rule}", "/service-types", f"/service-types/{code}", "/notifications"]:
        browser.go(path)
        browser.calm()
        if "/edit" not in path:
            browser.until(lambda: XSS in browser.text() or path == "/notifications", "the text at " + path)
        assert browser.script("return window.pwned") is None, path
        assert not browser.script("return document.querySelectorAll('img, main script').length"), path
    browser.script("localStorage.removeItem(Object.keys(localStorage).find(key => key.startsWith('inspection ')))")
    server.send("POST", f"/api/maintenance-records/{record}/cancel")
    server.send("POST", f"/api/defects/{defect}/dismiss", {"reason": "test"})
    server.send("POST", f"/api/service-schedules/{schedule}/complete", {})


@test
def workshop_is_complete_in_german(browser):
    browser.open("/sign-in")
    browser.script("localStorage.setItem('language', 'de')")
    browser.sign_in("admin")
    for path, text in [("/maintenance", "Offene Mängel"), ("/maintenance-records/new", "Arbeit und Teile"), ("/service-schedules/new", "Intervall"), ("/documents", "Noch 24 Tage"), ("/inspections", "Kontrollen"),
                       ("/notifications", "Benachrichtigungen"), ("/rules", "Regel hinzufügen"), ("/imports", "Datei prüfen"), ("/meter-readings", "Zählerstände")]:
        browser.go(path)
        browser.sees(text)
        browser.calm()
        missing = browser.script(r"return (document.body.innerText.match(/\b[a-z][A-Za-z]+\.[a-z][A-Za-z-]+\b/g) ?? []).filter(word => !/\.(de|example|pwned)$/.test(word))")
        assert not missing, (path, missing)
    browser.script("localStorage.setItem('language', 'en')")
