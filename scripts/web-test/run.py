#!/usr/bin/env python3
"""Tests of the web app in a real Chromium, with a fleet store and the demo's fleet.

    scripts/web-test/run.py [NAME…]      all tests, or those whose names contain one of these

Nothing sleeps: each test waits for what a person would see. After each test, no page may have reported an error, and the
content security policy no violation.
"""
import concurrent.futures
import datetime
import json
import os
import re
import subprocess
import sys
import time
import traceback

from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

import stage
from stage import ROOT, Browser, Stage
from suite import IGNORED, PASSWORD, REFUSED, TESTS, XSS, barriers, test

import changes  # noqa: F401  its tests
import checklists
import dispatch  # noqa: F401  its tests
import duty  # noqa: F401  its tests
import files  # noqa: F401  its tests
import fleet
import keyboard  # noqa: F401  its tests
import lists  # noqa: F401  its tests
import models  # noqa: F401  its tests
import pictures  # noqa: F401  its tests
import tabs  # noqa: F401  its tests
import workshop

SITE = ROOT + "/Sources/Fleet/FleetWeb/Site"
# Maximum size of the JavaScript that the sign-in page loads, compressed, in bytes.
BUDGET = 60 * 1024

def sources():
    for folder, _, names in os.walk(SITE):
        for name in names:
            if name.endswith(".js"):
                with open(f"{folder}/{name}", encoding="utf-8") as file:
                    yield f"{folder}/{name}", file.read()


@test
def types_are_consistent(_):
    for name in ("tsconfig.json", "worker.tsconfig.json"):
        checked = subprocess.run(["tsc", "-p", f"{SITE}/{name}"], stdout=subprocess.PIPE, text=True, check=False)
        assert checked.returncode == 0, checked.stdout


@test
def every_text_exists_in_english_and_german(_):
    catalogue = {}
    for path in [SITE + "/texts.js"] + [f"{SITE}/texts/{name}" for name in os.listdir(SITE + "/texts")]:
        with open(path, encoding="utf-8") as file:
            for key, values in re.findall(r'^  ("[\w.\-]+"): (\[.*\]),$', file.read(), re.M):
                assert json.loads(key) not in catalogue, key
                catalogue[json.loads(key)] = json.loads(values)
    assert len(catalogue) > 300
    for key, values in catalogue.items():
        assert len(values) == 2 and all(values), key
        assert set(re.findall(r"\{\w+\}", values[0])) == set(re.findall(r"\{\w+\}", values[1])), f"{key}: other values"
    missing = [
        f"{os.path.basename(path)}: {key}" for path, text in sources()
        for key in re.findall(r'\bt\("([\w.\-]+)"[,)]', text) + re.findall(
            r'\b(?:label|title|add|empty|hint|question|done): "([a-zA-Z]+\.[\w.]+)"', text)
        if key not in catalogue]
    assert not missing, missing


@test
def first_page_needs_little_code(_):
    with open(ROOT + "/.build/web/index.html", encoding="utf-8") as file:
        page = file.read()
    first = re.findall(r'<link rel="modulepreload" href="/([^"]+)"', page)
    view = [name for name in os.listdir(ROOT + "/.build/web/assets/views") if re.fullmatch(r"sign-in\.\w+\.js", name)]
    size = sum(os.path.getsize(f"{ROOT}/.build/web/{name}.gz") for name in first + ["assets/views/" + view[0]])
    assert size <= BUDGET, f"{size} bytes"


@test
def wrong_password_is_explained_and_the_right_one_opens_the_live_map(browser):
    # A test before may have signed in.
    browser.driver.delete_all_cookies()
    browser.open("/sign-in")
    account = browser.stage.accounts["admin"]
    browser.fill("#email", account["email"])
    browser.fill("#password", "a wrong password")
    browser.click("form .button.primary")
    browser.sees("Email address or password is wrong.")
    assert browser.script("return document.getElementById('email').value") == account["email"]
    browser.fill("#password", account["password"])
    browser.click("form .button.primary")
    browser.sees("4 of 5 reporting")
    assert browser.script("return location.pathname") == "/live"
    browser.click(".avatar")
    browser.click(".button", "Sign out")
    browser.element("#password")
    return [REFUSED]


@test
def invited_person_sets_a_password_and_a_second_factor_protects_the_account(browser):
    server = browser.stage.server
    person = server.send("POST", "/api/people", {"email": "nora@fleet.example", "firstName": "Nora", "lastName": "Falk", "roles": ["viewer"]})
    token = server.send("POST", f"/api/people/{person['id']}/invite")["token"]
    browser.open("/setup#" + token)
    browser.fill("#password", "short")
    browser.click("form .button.primary")
    browser.element(".summary")
    browser.fill("#password", PASSWORD)
    browser.click("form .button.primary")
    browser.until(lambda: browser.all("#email") or browser.all(".avatar"), "the account")
    if browser.all("#email"):
        browser.fill("#email", "nora@fleet.example")
        browser.fill("#password", PASSWORD)
        browser.click("form .button.primary")
    browser.element(".avatar")
    browser.go("/profile")
    browser.click(".button", "Add an authenticator app")
    secret = browser.element("dialog .secret code").text
    browser.fill("#totp-code", code_of(secret))
    browser.click("dialog .button.primary")
    browser.sees("Recovery codes")
    recovery = browser.element("dialog .secret code").text.split("\n")[0]
    browser.click("dialog [aria-label=Close]")
    browser.click(".button", "Sign out")
    browser.fill("#email", "nora@fleet.example")
    browser.fill("#password", PASSWORD)
    browser.click("form .button.primary")
    browser.sees("One more step")
    browser.fill("#code", "000000")
    browser.click("form .button.primary")
    browser.sees("This code is wrong")
    browser.fill("#code", recovery)
    browser.click("form .button.primary")
    browser.element(".avatar")
    return [REFUSED]


@test
def passkey_signs_in_without_a_password(browser):
    server = browser.stage.server
    person = server.send("POST", "/api/people", {"email": "kim@fleet.example", "firstName": "Kim", "lastName": "Oster", "roles": ["viewer"]})
    token = server.send("POST", f"/api/people/{person['id']}/invite")["token"]
    # A passkey belongs to a name, not to an address.
    here = browser.stage.address.replace("127.0.0.1", "localhost")
    options = VirtualAuthenticatorOptions(
        protocol=VirtualAuthenticatorOptions.Protocol.CTAP2, transport=VirtualAuthenticatorOptions.Transport.INTERNAL,
        has_resident_key=True, has_user_verification=True, is_user_verified=True)
    browser.driver.add_virtual_authenticator(options)
    try:
        browser.open(here + "/setup#" + token)
        browser.fill("#password", PASSWORD)
        browser.click("form .button.primary")
        browser.element(".avatar")
        made = browser.driver.execute_async_script("""
            const done = arguments[0];
            const post = async (path, body) => {
              const answer = await fetch(path, { method: "POST", headers: body ? { "Content-Type": "application/json" } : {}, body: body && JSON.stringify(body) });
              if (!answer.ok) throw new Error(await answer.text());
              return answer.json();
            };
            (async () => {
              const { publicKey } = await post("/api/auth/passkeys/registration");
              const credential = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) });
              return post("/api/auth/passkeys", { credential: credential.toJSON(), name: "Virtual key" });
            })().then(factor => done(factor.name), error => done(String(error)));""")
        assert made == "Virtual key", made
        assert [key.is_resident_credential for key in browser.driver.get_credentials()] == [True]
        browser.click(".avatar")
        browser.click(".button", "Sign out")
        browser.click(".button", "Sign in with a passkey")
        browser.element(".avatar")
        # The password alone is no longer enough.
        browser.click(".avatar")
        browser.click(".button", "Sign out")
        browser.fill("#email", "kim@fleet.example")
        browser.fill("#password", PASSWORD)
        browser.click("form .button.primary")
        browser.sees("One more step")
    finally:
        browser.driver.remove_virtual_authenticator()


def code_of(secret):
    """The one-time code of now (RFC 6238)."""
    found = subprocess.run(["oathtool", "--totp", "-b", "-"], input=secret, stdout=subprocess.PIPE, text=True, check=True)
    return found.stdout.strip()


@test
def forgotten_password_has_the_same_answer_for_every_address(browser):
    browser.open("/recover")
    browser.fill("#email", "unknown@fleet.example")
    browser.click("form .button.primary")
    browser.sees("If there is an account with this address")


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
def driver_records_a_journey_without_a_network(browser):
    browser.shape(390, 844, False)
    browser.sign_in("driver")
    browser.sees("KN-FL 101")
    browser.until(lambda: browser.script("return navigator.serviceWorker.controller !== null || navigator.serviceWorker.ready.then(() => true)"), "the service worker")
    browser.driver.execute_async_script("navigator.serviceWorker.ready.then(arguments[0])")
    browser.until(lambda: browser.script("return caches.keys().then(names => names.length)") == 1, "the kept files")
    online = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.driver.execute_cdp_cmd("Network.enable", {})
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**online, "offline": True})
    # The page opens again without a network.
    browser.driver.refresh()
    browser.sees("KN-FL 101")
    browser.click(".button", "Start a journey")
    browser.fill("#field-odometer", "48312")
    browser.click("dialog .button.primary")
    browser.sees("Waiting to be sent")
    browser.sees("Under way")
    # Closing the browser loses nothing.
    browser.driver.refresh()
    browser.sees("Waiting to be sent")
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", online)
    browser.script("dispatchEvent(new Event('online'))")
    browser.sees("Everything was sent")
    browser.gone("Waiting to be sent")
    [journey] = browser.stage.server.send("GET", "/api/journeys?status=inProgress")["data"]
    assert journey["vehicleId"] == "VAN-001" and journey["startOdometer"] == 48312, journey
    browser.click(".button", "End the journey")
    browser.fill("dialog #field-odometer", "48320")
    browser.click("dialog .button.primary")
    browser.element(".button", "Start a journey")
    assert browser.stage.server.send("GET", "/api/journeys/" + journey["id"])["status"] == "completed"
    browser.shape(1440, 900, False)
    return [REFUSED, "net::ERR_INTERNET_DISCONNECTED", "WebSocket"]


@test
def times_are_right_although_the_phone_has_a_wrong_clock(browser):
    server = browser.stage.server
    for minutes in (20, -45):
        skew = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": f"""
            const True = Date;
            Date = class extends True {{
              constructor(...values) {{ super(...(values.length ? values : [True.now() + {minutes} * 60000])); }}
              static now() {{ return True.now() + {minutes} * 60000; }}
            }};"""})
        try:
            browser.sign_in("driver")
            browser.click(".button", "Start a journey")
            browser.click("dialog .button.primary")
            browser.sees("Under way")
            [journey] = server.send("GET", "/api/journeys?status=inProgress")["data"]
            start = datetime.datetime.fromisoformat(journey["startTime"].replace("Z", "+00:00"))
            assert abs((datetime.datetime.now(datetime.timezone.utc) - start).total_seconds()) < 60, journey
            browser.click(".button", "End the journey")
            browser.click("dialog .button.primary")
            browser.element(".button", "Start a journey")
        finally:
            browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": skew["identifier"]})


@test
def driver_adds_a_fill_with_the_unit_that_the_pump_shows(browser):
    browser.sign_in("driver")
    browser.click(".button", "Add a fill")
    browser.fill("#field-quantity", "12.5 gal")
    browser.fill("#field-total", "61,90")
    browser.fill("#field-odometer", "48400")
    browser.click(".form .button.primary")
    browser.sees("Saved")
    entry = browser.stage.server.send("GET", "/api/fuel-entries?vehicle=VAN-001&sort=-at&limit=1")["data"][0]
    assert (entry["quantity"], entry["unit"]) == (12.5, "usGallon") and entry["total"] == {"amount": "61.90", "currency": "EUR"}, entry


@test
def people_see_only_pages_that_they_may_use(browser):
    for role, shown, hidden in [
            ("admin", ["/live", "/people", "/gateways", "/audit"], ["/mine"]),
            ("maintenance", ["/live", "/vehicles"], ["/people", "/gateways", "/audit", "/assignments"]),
            ("viewer", ["/live", "/fleet", "/assignments"], ["/mine", "/imports", "/audit"]),
            ("driver", ["/mine", "/assignments"], ["/live", "/fleet", "/people", "/audit", "/drivers"])]:
        browser.sign_in(role)
        links = [link.get_attribute("href").removeprefix(browser.stage.address) for link in browser.all(".rail a")]
        assert all(link in links for link in shown) and not any(link in links for link in hidden), (role, links)


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


@test
def session_that_ended_asks_again_and_returns_to_the_page(browser):
    browser.sign_in("maintenance")
    # This page has no map, so no further request is under way when it is complete.
    browser.go("/drivers")
    browser.calm()
    browser.driver.delete_all_cookies()
    browser.click(".rail a", "Vehicles")
    browser.sees("Your session has ended")
    browser.fill("#email", browser.stage.accounts["maintenance"]["email"])
    browser.fill("#password", browser.stage.accounts["maintenance"]["password"])
    browser.click("form .button.primary")
    browser.sees("KN-FL 101")
    assert browser.script("return location.pathname") == "/vehicles"
    return [REFUSED, "WebSocket"]


@test
def german_is_complete(browser):
    browser.open("/sign-in")
    browser.script("localStorage.setItem('language', 'de')")
    browser.sign_in("admin")
    browser.sees("Meldet nichts")
    for path, text in [("/vehicles", "Kennzeichen"), ("/drivers", "Führerschein"), ("/people", "Personen"), ("/audit", "Protokoll"), ("/fences", "Ausfahrt"), ("/reports", "Bericht"), ("/reports/new", "Eine Zeile je"), ("/fences/new", "Geozaun zeichnen"), ("/profile", "Passwort ändern")]:
        browser.go(path)
        browser.sees(text)
        browser.calm()
        assert not re.search(r"\b(vehicles|drivers|field|people|profile|action)\.[a-z]\w+", browser.text()), browser.text()
    browser.go("/vehicles/VAN-001")
    browser.sees("Fehlercodes")
    browser.go("/vehicles/VAN-014")
    browser.sees("Tankentlüftung, sehr kleine Undichtigkeit")
    browser.script("localStorage.setItem('language', 'en')")


def pages(stage_):
    """All pages of each role."""
    driver = stage_.server.send("GET", "/api/drivers?q=Jane")["data"][0]["id"]
    konstanz = stage_.server.send("GET", "/api/fleets?q=Konstanz")["data"][0]["id"]
    expense = stage_.server.send("GET", "/api/expenses?limit=1")["data"][0]["id"]
    assignment = stage_.server.send("GET", "/api/assignments?status=active&limit=1")["data"][0]["id"]
    person = stage_.accounts["maintenance"]["id"]
    today = datetime.date.today()
    report = stage_.server.send("POST", "/api/reports", {"kind": "utilization", "groupBy": "vehicle", "from": str(today - datetime.timedelta(30)), "to": str(today)})["id"]
    found = {
        None: [("sign-in", "/sign-in"), ("recover", "/recover"), ("setup", "/setup#x"), ("demo", stage_.demo)],
        "admin": [
            ("live", "/live"), ("live-vehicle", "/live?vehicle=VAN-001"), ("vehicles", "/vehicles"), ("vehicle", "/vehicles/VAN-001"), ("vehicle-codes", "/vehicles/VAN-014"),
            ("vehicle-edit", "/vehicles/VAN-001/edit"), ("vehicle-new", "/vehicles/new"), ("assignments", "/assignments"), ("assignment", f"/assignments/{assignment}"),
            ("assignment-new", "/assignments/new"), ("drivers", "/drivers"), ("driver", f"/drivers/{driver}"), ("expenses", "/expenses"), ("expense", f"/expenses/{expense}"),
            ("expense-new", "/expenses/new"), ("fuel", "/fuel-entries"), ("journeys", "/journeys"), ("fleets", "/fleets"), ("fleet", f"/fleets/{konstanz}"), 
            ("fences", "/fences"), ("fence", "/fences/depot"), ("fence-edit", "/fences/depot/edit"), ("fence-new", "/fences/new"), ("people", "/people"), ("person", f"/people/{person}"),
            ("person-new", "/people/new"), ("gateways", "/gateways"), ("audit", "/audit"), ("profile", "/profile"), ("reports", "/reports"), ("report", f"/reports/{report}"), ("report-new", "/reports/new")],
        "viewer": [("viewer-live", "/live"), ("viewer-vehicle", "/vehicles/VAN-001"), ("viewer-assignments", "/assignments"), ("viewer-people", "/people"), ("viewer-reports", "/reports"), ("viewer-gateways", "/gateways"),
                   ("viewer-vehicles", "/vehicles"), ("viewer-drivers", "/drivers"), ("viewer-driver", f"/drivers/{driver}"), ("viewer-calendar", "/assignments/calendar"), ("viewer-board", "/maintenance"),
                   ("viewer-inspections", "/inspections"), ("viewer-documents", "/documents"), ("viewer-forwards", "/forwards")],
        "driver": [("mine", "/mine"), ("fuel-new", "/fuel-entries/new?vehicleId=VAN-001"), ("my-expenses", "/expenses"), ("my-assignments", "/assignments")],
    }
    for module in (workshop, fleet, checklists):
        for role, listed in module.pages(stage_).items():
            found[role] = found.get(role, []) + listed
    return found


@test
def no_page_has_a_barrier(browser):
    # PAGES restricts it to pages whose names contain one of these words.
    wanted = os.environ.get("PAGES", "").split()
    listed = [(role, name, path) for role, listed in pages(browser.stage).items() for name, path in listed if not wanted or any(word in name for word in wanted)]
    # Two windows share the pages.
    half = len(listed) // 2
    other = Browser(browser.stage)
    try:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            parts = [pool.submit(barriers_of, window, part) for window, part in ((browser, listed[:half]), (other, listed[half:]))]
            found = [one for part in parts for one in part.result()]
        troubles = other.troubles([*IGNORED, REFUSED])
    finally:
        other.close()
    browser.shape(1440, 900, False)
    assert not found + troubles, "\n  " + "\n  ".join(dict.fromkeys(found + troubles))
    return [REFUSED]


def barriers_of(browser, listed):
    """The barriers of pages, in light and dark."""
    found, present = [], None
    for role, name, path in listed:
        if role:
            if role != present:
                browser.sign_in(role)
            browser.go(path)
        else:
            browser.script("localStorage.clear()") if browser.driver.current_url.startswith("http") else None
            browser.driver.delete_all_cookies()
            browser.open("about:blank")
            browser.open(path)
        present = role
        for width, dark in [(1440, False), (390, True)]:
            browser.shape(width, 900 if width > 400 else 844, dark)
            browser.calm()
            result = barriers(browser)
            found += [f"{name} {width} {'dark' if dark else 'light'}: {one}" for one in result]
            # Neither the page nor anything on it is wider than the window.
            if browser.script("return document.documentElement.scrollWidth > innerWidth || document.querySelector('main')?.scrollWidth > innerWidth"):
                found.append(f"{name} {width}: wider than the window")
            outside = browser.script("""return [...document.querySelectorAll('main .card .button')].filter(button => {
                const card = button.closest('.card').getBoundingClientRect(), box = button.getBoundingClientRect();
                return box.width > 0 && !button.closest('.scroll') && (box.right > card.right + 1 || box.left < card.left - 1);
              }).map(button => button.innerText)""")
            found += [f"{name} {width}: button {text!r} is outside its card" for text in outside]
    return found


def main(wanted):
    chosen = [function for function in sorted(TESTS, key=lambda test: test.__module__ in ("changes", "checklists", "dispatch", "duty", "files", "fleet", "lists", "pictures", "tabs", "workshop")) if not wanted or any(word in function.__name__ for word in wanted)]
    began, failures = time.monotonic(), 0
    stage_ = Stage()
    browser = None
    try:
        browser = Browser(stage_)
        for function in chosen:
            start = time.monotonic()
            try:
                allowed = function(browser) or []
                troubles = browser.troubles(IGNORED + allowed)
                assert not troubles, "pages reported: " + "; ".join(troubles)
                print(f"passed: {function.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
            except Exception as error:
                failures += 1
                lines = traceback.format_exception(error)
                place = [line.strip().split("\n")[0] for line in lines if "web-test/" in line and "stage.py" not in line]
                print(f"FAILED: {function.__name__}: {str(error)[:2500] or type(error).__name__} {place[-1:]}", flush=True)
                browser.close()
                browser = Browser(stage_)
    finally:
        if browser:
            browser.close()
        stage_.close()
    print(f"{datetime.timedelta(seconds=round(time.monotonic() - began))}")
    print(f"{len(chosen) - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
