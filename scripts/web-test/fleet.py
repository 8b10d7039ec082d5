"""Tests of the pages of the whole fleet, of lists, and of what administrators set up."""
import datetime
import json
import struct
import urllib.request

from stage import Browser
from suite import REFUSED, test, XSS
from workshop import choose


def pages(stage_):
    """The pages of each role."""
    server = stage_.server
    journey = server.send("GET", "/api/journeys?vehicle=VAN-007")["data"][0]["id"]
    driver = server.send("GET", "/api/drivers?q=Omar")["data"][0]["id"]
    ids = {}
    for kind, body in [
            ("webhooks", {"url": "https://hooks.example/fleet", "description": "Order board", "events": ["defectOpened", "defectUnsafe"], "isActive": False}),
            ("forwards", {"name": "Grafana", "format": "influx", "address": "https://influx.example/write?db=fleet", "isActive": False}),
            ("connectors", {"name": "Excavators", "service": "aemp", "address": "https://machines.example/aemp", "signIn": "basic", "userName": "fleet", "isActive": False}),
            ("phones", {"name": "Omar's phone", "driverId": driver, "sharesPosition": True})]:
        listed = [one for one in server.send("GET", "/api/" + kind)["data"] if one.get("format") != "homeAssistant"]
        ids[kind] = (listed[0] if listed else server.send("POST", "/api/" + kind, body))["id"]
    # How the vehicles appear in Home Assistant.
    home = next((forward for forward in server.send("GET", "/api/forwards")["data"] if forward["format"] == "homeAssistant"), None) or server.send("POST", "/api/forwards", {
        "name": "Home", "format": "homeAssistant", "address": "mqtts://fleet@broker.example/vans/depot", "isActive": False})
    set_up = [("forward-home", f"/forwards/{home['id']}"), ("forward-home-edit", f"/forwards/{home['id']}/edit"), ("settings", "/settings"), ("settings-edit", "/settings/edit")]
    for kind, identifier in ids.items():
        set_up += [(kind, "/" + kind), (kind[:-1], f"/{kind}/{identifier}"), (kind[:-1] + "-new", f"/{kind}/new")]
    return {
        "admin": [("fleet-overview", "/fleet"), ("calendar", "/assignments/calendar"), ("journey", f"/journeys/{journey}"), ("reconciliation", "/vehicles/VAN-001/reconciliation"), *set_up],
        "viewer": [("viewer-fleet", "/fleet"), ("viewer-settings", "/settings")], "driver": [("my-calendar", "/assignments/calendar"), ("my-phones", "/phones"), ("my-phone-new", "/phones/new")]}


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
    # Another test may have repaired the car.
    if server.send("GET", "/api/vehicles/CAR-003")["status"] != "inService":
        repair = server.send("POST", "/api/maintenance-records", {"vehicleId": "CAR-003", "serviceType": "repair"})
        server.send("POST", f"/api/maintenance-records/{repair['id']}/start")
    unsafe = server.send("POST", "/api/defects", {"vehicleId": "OLD-1", "severity": "unsafe", "text": "Brake line leaks"})
    for role in ("viewer", "admin"):
        browser.sign_in(role)
        browser.click(".rail a", "Fleet")
        browser.sees("Active assignments")
        for label, path, query, seen, missing in [
                ("Available or assigned", "/vehicles", "status=available,assigned", "VAN-001", "OLD-1"), ("In service", "/vehicles", "status=inService", "CAR-003", "VAN-001"),
                ("Overdue services", "/service-schedules", "state=overdue", "", "tachograph"), ("Unsafe defects", "/defects", "severity=unsafe&status=open,acknowledged", "Brake line leaks", "Left wiper")]:
            count = len(server.send("GET", f"/api{path}?limit=1000&{query}")["data"])
            assert figure(browser, label) == count, (label, browser.element(".figures").text)
            browser.click(".figures a", label)
            browser.until(lambda: browser.script("return location.pathname") == path, path)
            browser.until(lambda: len(rows(browser)) == count, f"{count} rows")
            listed = "\n".join(rows(browser))
            assert seen in listed and missing not in listed, listed
            assert browser.all(".filters select option:checked")[0].get_attribute("value") or label == "Unsafe defects"
            browser.go("/fleet")
            browser.sees("Active assignments")
        assert " inactive" in browser.element(".figures .tile", "Vehicles").text
        # Those who have a vehicle now.
        assert any("VAN-001" in row and "Jane Smith" in row and "Assigned" in row for row in rows(browser)), rows(browser)
        assert bool(browser.all(".title .button")) == (role == "admin")
    browser.click(".figures a", "Silent gateways")
    browser.calm()
    assert browser.script("return location.pathname + location.search") == "/gateways?health=silent"
    server.send("POST", f"/api/defects/{unsafe['id']}/dismiss", {"reason": "test"})
    server.send("DELETE", "/api/vehicles/OLD-1")


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
    server = browser.stage.server
    money = lambda amount: {"amount": amount, "currency": "EUR"}
    now = server.send("GET", "/api/vehicles/VAN-001")["updatedAt"]
    defect = server.send("POST", "/api/defects", {"vehicleId": "VAN-001", "severity": "minor", "text": "Ashtray is missing"})
    server.send("POST", "/api/maintenance-records", {"vehicleId": "VAN-001", "serviceType": "other", "completedDate": now[:10], "scheduledDate": now[:10], "cost": money("77.10"), "vendorName": "Lake Garage"})
    fill = server.send("POST", "/api/fuel-entries", {"vehicleId": "VAN-001", "at": now, "energy": "adBlue", "quantity": 9.5, "unit": "L", "total": money("11.20")})
    expense = server.send("POST", "/api/expenses", {"vehicleId": "VAN-001", "category": "wash", "at": now, "amount": money("13.80"), "vendorName": "Bubbles"})
    browser.sign_in("admin")
    browser.go("/vehicles/VAN-001")
    for title, text in [("Defects", "Ashtray is missing"), ("Work orders", "€77.10 · Lake Garage"), ("Documents", "Fleet insurance 2026"), ("Fuel", "9.5 L · €11.20"), ("Expenses", "€13.80")]:
        browser.until(lambda: any(card.text.startswith(title) and text in card.text.replace("\xa0", " ") for card in browser.all(".halves > .card")), f"{title}: {text}")
    browser.click("[aria-label='Documents: All']")
    expected = server.send("GET", "/api/documents?vehicle=VAN-001")["data"]
    browser.until(lambda: len(rows(browser)) == len(expected) < len(server.send("GET", "/api/documents")["data"]), "the documents of the vehicle")
    assert browser.element("#filter-vehicleId").get_attribute("value") == "VAN-001"
    browser.go("/vehicles/VAN-001")
    browser.click(".halves .button", "Add a document")
    browser.until(lambda: browser.element("#field-of-id").get_attribute("value") == "VAN-001", "the vehicle")
    server.send("POST", f"/api/defects/{defect['id']}/dismiss", {"reason": "test"})
    for path in (f"/api/fuel-entries/{fill['id']}", f"/api/expenses/{expense['id']}"):
        server.send("PATCH", path, {"void": True}, headers={"If-Match": "*"})


@test
def days_that_the_figures_of_a_driver_lack_are_named(browser):
    server = browser.stage.server
    driver = server.send("POST", "/api/drivers", {"name": "Nora Gap"})["id"]
    server.send("PUT", "/api/vehicles/GAP-1", {"make": "Seat"}, headers={"If-None-Match": "*"})
    today = datetime.datetime.now(datetime.timezone.utc).date()
    # The vehicle is hers on two days in a row, and again on another day. It reports nothing.
    for first, last in (((9, "11:00"), (8, "12:00")), ((4, "11:00"), (4, "12:00"))):
        server.send("POST", "/api/assignments", {"driverId": driver, "vehicleId": "GAP-1", **{
            name: f"{today - datetime.timedelta(days)}T{time}:00Z" for name, (days, time) in (("from", first), ("to", last))}})
    browser.sign_in("admin")
    browser.go("/drivers/" + driver)
    browser.sees("The last 30 days")
    days = [browser.script("return new Intl.DateTimeFormat('en-GB', {dateStyle: 'medium', timeZone: 'UTC'}).format(new Date(arguments[0]))", str(today - datetime.timedelta(days))) for days in (9, 8, 4)]
    browser.sees(f"No records: {days[0]} – {days[1]}, {days[2]}.")
    assert "0 of 3" in browser.text()
    # A driver without a vehicle and without journeys lacks nothing.
    other = server.send("POST", "/api/drivers", {"name": "Noah Free"})["id"]
    browser.go("/drivers/" + other)
    browser.sees("Noah Free")
    browser.sees("The last 30 days")
    assert "0 of 0" in browser.text() and "No records" not in browser.text()
    browser.go("/fences")
    browser.calm()
    server.send("DELETE", "/api/vehicles/GAP-1")
    return [REFUSED]


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


@test
def app_has_icons_for_each_kind_of_phone(browser):
    def load(path):
        with urllib.request.urlopen(browser.stage.address + path) as answer:
            return answer.headers["Content-Type"], answer.read()

    manifest = json.loads(load("/manifest.webmanifest")[1])
    found = set()
    for icon in manifest["icons"]:
        kind, data = load(icon["src"])
        assert kind == icon["type"], icon
        if kind == "image/png":
            width, height = struct.unpack(">II", data[16:24])
            assert f"{width}x{height}" == icon["sizes"], icon
        found.add((icon["sizes"], icon["purpose"]))
    assert {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")} <= found, found
    browser.open("/sign-in")
    kind, data = load(browser.script("return new URL(document.querySelector('link[rel=apple-touch-icon]').href).pathname"))
    assert kind == "image/png" and struct.unpack(">II", data[16:24]) == (180, 180)


@test
def pages_of_the_fleet_are_complete_in_german(browser):
    browser.open("/sign-in")
    browser.script("localStorage.setItem('language', 'de')")
    browser.sign_in("admin")
    listed = dict(pages(browser.stage)["admin"])
    for name, text in [("fleet-overview", "Aktive Zuteilungen"), ("calendar", "Nur zugeteilte Fahrzeuge"), ("journey", "Mit Aufzeichnung vergleichen"), ("reconciliation", "Aufzeichnung ohne Eintrag"),
                       ("settings", "Vor jeder Fahrt ist eine Kontrolle nötig"), ("webhook", "Letzte Zustellungen"), ("webhook-new", "Welche Ereignisse"), ("forward", "Weiterleitungen"), ("forward-home", "Präfix der Topics"), ("forward-home-edit", "MQTT-Broker"),
                       ("connector", "Fahrzeuge und Maschinen"), ("connector-new", "Dienst"), ("phone", "Teilt die Position")]:
        browser.go(listed[name])
        browser.sees(text)
        browser.calm()
        missing = browser.script(r"return (document.body.innerText.match(/\b[a-z][A-Za-z]+\.[a-z][A-Za-z-]+\b/g) ?? []).filter(word => !/\.(de|example|invalid)$/.test(word))")
        assert not missing, (name, missing)
    browser.go("/vehicles")
    browser.sees("Flotte")
    browser.click("td.tick label")
    browser.click(".bulk .button", "Gemeinsam bearbeiten")
    browser.sees("Leere Felder bleiben unverändert.")
    browser.click("dialog .button", "Abbrechen")
    browser.script("localStorage.setItem('language', 'en')")


@test
def hostile_texts_of_the_fleet_are_shown_as_texts(browser):
    server = browser.stage.server
    driver = server.send("GET", "/api/drivers?q=Jane")["data"][0]["id"]
    made = {}
    for kind, body in [
            ("webhooks", {"url": "https://hooks.example/<b>", "description": XSS, "isActive": False}), ("forwards", {"name": XSS, "format": "influx", "address": "https://influx.example/<b>", "isActive": False}),
            ("connectors", {"name": XSS, "service": "samsara", "isActive": False}), ("phones", {"name": XSS, "driverId": driver}),
            ("journeys", {"vehicleId": "VAN-014", "driverId": driver, "purpose": "private", "plannedFrom": "2026-12-24T08:00:00Z", "notes": XSS})]:
        made[kind] = server.send("POST", "/api/" + kind, body)["id"]
    server.send("POST", f"/api/journeys/{made['journeys']}/incident", {"notes": XSS})
    server.send("PUT", "/api/vehicles/XSS-2", {"name": XSS, "make": XSS}, headers={"If-None-Match": "*"})
    assignment = server.send("POST", "/api/assignments", {"vehicleId": "XSS-2", "driverId": server.send("POST", "/api/drivers", {"name": XSS})["id"], "from": server.send("GET", "/api/vehicles/XSS-2")["createdAt"], "notes": XSS})["id"]
    browser.sign_in("admin")
    for path in [*("/" + kind for kind in made), *(f"/{kind}/{identifier}" for kind, identifier in made.items()), "/fleet", "/assignments/calendar", "/vehicles/XSS-2", "/vehicles/XSS-2/reconciliation", "/vehicles?q=XSS-2", f"/drivers/{driver}"]:
        browser.go(path)
        browser.calm()
        browser.until(lambda: XSS in browser.text() or path == "/journeys", "the text at " + path)
        assert browser.script("return window.pwned") is None, path
        assert not browser.script("return document.querySelectorAll('main img, main script').length"), path
    browser.go("/vehicles/XSS-2")
    browser.click(".menu > .button", "More")
    browser.click(".title .button", "Retire")
    browser.until(lambda: XSS in browser.element("dialog").text, "the question")
    browser.click("dialog .button", "Cancel")
    server.send("POST", f"/api/assignments/{assignment}/cancel")
    server.send("POST", f"/api/journeys/{made.pop('journeys')}/cancel")
    # An open page of the vehicle would ask for it again.
    browser.go("/expenses")
    browser.calm()
    server.send("DELETE", "/api/vehicles/XSS-2")
    for kind, identifier in made.items():
        server.send("DELETE", f"/api/{kind}/{identifier}")


@test
def working_hours_of_a_fleet_are_entered_as_people_read_them(browser):
    server = browser.stage.server
    [fleet] = server.send("GET", "/api/fleets?q=Singen")["data"]
    browser.sign_in("admin")
    browser.go(f"/fleets/{fleet['id']}/edit")
    browser.click(".button", "Add hours")
    browser.click(".button", "Add hours")
    # The second line has no day yet.
    browser.click(".form > .actions .button.primary")
    browser.until(lambda: "Working hours: each line needs a day" in browser.element(".summary").text, "the fault")
    browser.click(".shifts li:last-child .chip", "Sat")
    browser.fill("[aria-label='To, line 2']", "12:00PM")
    browser.click(".form > .actions .button.primary")
    browser.until(lambda: "Mon – Fri 08:00 – 17:00; Sat 08:00 – 12:00" in browser.element(".facts").text, "the hours in words")
    stored = server.send("GET", "/api/fleets/" + fleet["id"])["workingHours"]
    assert stored == [{"days": ["monday", "tuesday", "wednesday", "thursday", "friday"], "from": "08:00", "to": "17:00"}, {"days": ["saturday"], "from": "08:00", "to": "12:00"}], stored
    browser.click(".title .button", "Edit")
    for _ in range(2):
        browser.click("[aria-label='Remove line 1']")
    browser.click(".form > .actions .button.primary")
    browser.sees("Saved")
    browser.until(lambda: not server.send("GET", "/api/fleets/" + fleet["id"]).get("workingHours"), "no hours")
