"""Tests of forms and of live records."""
import json
import time

import stage
from suite import REFUSED, test, XSS
import fleet


@test
def record_that_arrives_changes_the_live_map_and_the_vehicle(browser):
    browser.sign_in("admin")
    browser.calm()
    browser.element(".pulse.on")
    browser.click(".row", "TRUCK-012")
    browser.element(".peek")
    send_record(browser.stage, "TRUCK-012", speed=77, rpm=1444)
    browser.until(lambda: "77 km/h" in browser.element(".peek").text and "1,444" in browser.element(".peek").text, "the new speed")
    browser.click(".peek .button.primary")
    browser.sees("Mercedes-Benz Actros 2020")
    browser.element(".tile")
    browser.until(lambda: browser.all(".plot canvas"), "the chart")
    send_record(browser.stage, "TRUCK-012", speed=12, rpm=801)
    browser.until(lambda: browser.element(".gauge").text.startswith("12\n"), "the new speed on the gauge")
    browser.click(".plain.link", "As a table")
    browser.element(".chart table")


def send_record(stage_, vehicle, **values):
    """A record of a vehicle's gateway, as it sends one now."""
    number = [car["id"] for car in stage.demo.CARS].index(vehicle)
    with open(f"{stage_.folder}/car{number}.token", encoding="utf-8") as file:
        key = file.read().strip()
    now = time.time()
    stage_.sent = getattr(stage_, "sent", 0) + 1
    stage_.server.send("POST", "/api/telemetry", [{
        "type": "telemetry", "id": stage.demo.uuid7(int(now * 1000), stage_.sent), "timestamp": stage.demo.text_of(now), "timeQuality": "gps",
        "gatewayId": "gw-" + vehicle.lower(), "vehicleId": vehicle, "epoch": stage.demo.uuid7(0, 7), "seq": stage_.sent,
        "latitude": stage.demo.CENTRE[0], "longitude": stage.demo.CENTRE[1], **values}], key)


@test
def faults_of_a_form_are_at_their_fields_and_nothing_is_lost(browser):
    browser.sign_in("admin")
    browser.go("/vehicles/new")
    browser.fill("#field-make", "Opel")
    browser.fill("#field-tankCapacity", "a lot")
    browser.click(".form .button.primary")
    summary = browser.element(".summary")
    assert "Id: fill this in" in summary.text and "Tank: enter a number" in summary.text, summary.text
    assert browser.script("return document.activeElement.className") == "summary"
    browser.click(".summary a", "Id: fill this in")
    assert browser.script("return document.activeElement.id") == "field-id"
    # A reload keeps the values that were entered.
    browser.driver.refresh()
    browser.until(lambda: browser.element("#field-make").get_attribute("value") == "Opel", "the draft")
    browser.fill("#field-id", "CAR-100")
    browser.fill("#field-tankCapacity", "12,5 gal")
    browser.click(".form .button.primary")
    browser.sees("Opel")
    browser.until(lambda: browser.script("return location.pathname") == "/vehicles/CAR-100", "the new vehicle")
    made = browser.stage.server.send("GET", "/api/vehicles/CAR-100")
    assert abs(made["tankCapacity"] - 47.3176) < 0.01, made
    # An error of the server is shown at the field to which it belongs.
    browser.go("/vehicles/CAR-100/edit")
    browser.fill("#field-vin", "NOT A VIN")
    browser.click(".form .button.primary")
    browser.until(lambda: "VIN" in browser.element(".field.faulty").text, "the fault")
    return [REFUSED]


@test
def changes_of_two_people_are_shown_field_by_field(browser):
    server = browser.stage.server
    before = server.send("GET", "/api/vehicles/VAN-007")
    browser.sign_in("admin")
    browser.go("/vehicles/VAN-007/edit")
    browser.fill("#field-model", "Caravelle")
    browser.fill("#field-notes", "new tyres")
    server.send("PATCH", "/api/vehicles/VAN-007", {"model": "Multivan", "licencePlate": "KN-FL 777"}, headers={"If-Match": "*"})
    browser.click(".form .button.primary")
    browser.until(lambda: "Multivan" in browser.element(".conflict").text, "the conflict")
    browser.click(".conflict .button", "Keep mine")
    browser.gone("Now stored:")
    browser.click(".form .button.primary")
    browser.sees("Caravelle")
    stored = server.send("GET", "/api/vehicles/VAN-007")
    assert (stored["model"], stored["licencePlate"], stored["notes"]) == ("Caravelle", "KN-FL 777", "new tyres"), stored
    # Other tests know the vehicle as it was.
    server.send("PATCH", "/api/vehicles/VAN-007", {name: before.get(name) for name in ("model", "licencePlate", "notes")}, headers={"If-Match": "*"})
    return [REFUSED]


@test
def vehicle_is_assigned_by_keyboard_and_the_assignment_ends_after_a_question(browser):
    from selenium.webdriver.common.keys import Keys
    browser.sign_in("admin")
    browser.go("/vehicles/VAN-014")
    browser.click(".button", "Assign")
    field = browser.element("#field-driverId")
    field.send_keys("Eva")
    browser.element(".combo [role=option]", "Eva Lang")
    field.send_keys(Keys.ENTER)
    browser.until(lambda: browser.element("#field-driverId").get_attribute("value") == "Eva Lang", "the driver")
    browser.element("#field-notes").send_keys(Keys.TAB, Keys.ENTER)
    browser.sees("Eva Lang")
    browser.click(".button", "End now")
    browser.sees("no longer has the vehicle")
    browser.click("dialog .button.primary")
    browser.sees("Completed")


@test
def gateway_key_is_shown_once(browser):
    browser.sign_in("admin")
    browser.go("/gateways")
    browser.click(".button", "Add a gateway")
    browser.fill("dialog #field-id", "gw-new")
    browser.click("dialog .button.primary")
    key = browser.element("dialog .secret code").text
    assert len(key) > 30
    browser.click("dialog [aria-label=Close]")
    browser.gone(key)
    browser.click("[aria-label='Revoke: gw-new']")
    browser.click("dialog .danger-fill")
    browser.sees("Revoked")


@test
def hostile_texts_are_shown_as_texts(browser):
    server = browser.stage.server
    server.send("PUT", "/api/vehicles/XSS-1", {"name": XSS, "make": XSS, "model": XSS, "notes": XSS, "licencePlate": "<b>x</b>"}, headers={"If-None-Match": "*"})
    driver = server.send("POST", "/api/drivers", {"name": XSS, "phone": "<b>1</b>"})
    fleet = server.send("POST", "/api/fleets", {"name": XSS, "notes": XSS})
    expense = server.send("POST", "/api/expenses", {"category": "other", "at": "2026-11-01T08:00:00Z", "vendorName": XSS, "notes": XSS, "amount": {"amount": "1.00", "currency": "EUR"}})
    person = server.send("POST", "/api/people", {"email": "x@fleet.example", "firstName": "<b>", "lastName": "<i>", "roles": ["viewer"]})
    server.send("POST", "/api/gateways", {"id": "<img src=x onerror=alert(1)>"})
    fences = server.send("GET", "/api/geofences")
    fences["features"][0]["properties"]["name"] = XSS
    server.send("PUT", "/api/geofences", json.dumps(fences).encode(), headers={"Content-Type": "application/geo+json"})
    browser.sign_in("admin")
    for path, text in [
            ("/live?vehicle=XSS-1", XSS), ("/vehicles?q=XSS-1", XSS), ("/vehicles/XSS-1", XSS), ("/vehicles/XSS-1/edit", None), (f"/drivers/{driver['id']}", XSS), ("/drivers", XSS),
            (f"/fleets/{fleet['id']}", XSS), ("/fleets", XSS), (f"/expenses/{expense['id']}", XSS), ("/expenses", XSS), (f"/people/{person['id']}", "<b> <i>"),
            ("/people", "<b>"), ("/gateways", "<img src=x onerror=alert(1)>"), ("/reports/new", None), ("/fences", XSS), ("/fences/depot", XSS), ("/fences/depot/edit", XSS), ("/audit", None), ("/vehicles/%3Cimg%20src=x%20onerror=alert(1)%3E", None)]:
        browser.go(path)
        browser.calm()
        if text:
            browser.sees(text)
        assert browser.script("return window.pwned") is None, path
        assert not browser.script("return document.querySelectorAll('img, main script').length"), path
    browser.fill("#search", "XSS-1")
    browser.until(lambda: XSS in browser.element(".results").text, "the result")
    fences["features"][0]["properties"]["name"] = "Depot Konstanz"
    server.send("PUT", "/api/geofences", json.dumps(fences).encode(), headers={"Content-Type": "application/geo+json"})
    server.send("DELETE", "/api/vehicles/XSS-1")
    server.send("DELETE", "/api/gateways/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
    return [REFUSED]
