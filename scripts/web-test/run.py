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

from stage import Browser, ROOT, Stage
from suite import barriers, cut_states, IGNORED, REFUSED, route_of, routes, SHAPES, test, TESTS
import accounts  # noqa: F401  its tests
import changes  # noqa: F401  its tests
import checklists
import choices  # noqa: F401  its tests
import dispatch  # noqa: F401  its tests
import duty
import files  # noqa: F401  its tests
import fleet
import forms  # noqa: F401  its tests
import inspections  # noqa: F401  its tests
import integrations  # noqa: F401  its tests
import keyboard  # noqa: F401  its tests
import lists  # noqa: F401  its tests
import map_fences  # noqa: F401  its tests
import models  # noqa: F401  its tests
import pictures  # noqa: F401  its tests
import tabs  # noqa: F401  its tests
import workshop

SITE = ROOT + "/Sources/Fleet/FleetWeb/Site"
# Maximum size of the JavaScript that the sign-in page loads, compressed, in bytes.
BUDGET = 60 * 1024
# An address that no page has.
MISSING = "/nothing"


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
        None: [("sign-in", "/sign-in"), ("recover", "/recover"), ("setup", "/setup#x"), ("reset", "/reset#x"), ("demo", stage_.demo)],
        "admin": [
            ("live", "/live"), ("live-vehicle", "/live?vehicle=VAN-001"), ("vehicles", "/vehicles"), ("vehicle", "/vehicles/VAN-001"), ("vehicle-codes", "/vehicles/VAN-014"),
            ("vehicle-edit", "/vehicles/VAN-001/edit"), ("vehicle-new", "/vehicles/new"), ("assignments", "/assignments"), ("assignment", f"/assignments/{assignment}"),
            ("assignment-new", "/assignments/new"), ("drivers", "/drivers"), ("driver", f"/drivers/{driver}"), ("expenses", "/expenses"), ("expense", f"/expenses/{expense}"),
            ("expense-new", "/expenses/new"), ("fuel", "/fuel-entries"), ("journeys", "/journeys"), ("fleets", "/fleets"), ("fleet", f"/fleets/{konstanz}"), 
            ("fences", "/fences"), ("fence", "/fences/depot"), ("fence-edit", "/fences/depot/edit"), ("fence-new", "/fences/new"), ("people", "/people"), ("person", f"/people/{person}"),
            ("person-new", "/people/new"), ("gateways", "/gateways"), ("audit", "/audit"), ("profile", "/profile"), ("reports", "/reports"), ("report", f"/reports/{report}"), ("report-new", "/reports/new"), ("missing", MISSING)],
        "viewer": [("viewer-live", "/live"), ("viewer-vehicle", "/vehicles/VAN-001"), ("viewer-assignments", "/assignments"), ("viewer-people", "/people"), ("viewer-reports", "/reports"), ("viewer-gateways", "/gateways"),
                   ("viewer-vehicles", "/vehicles"), ("viewer-drivers", "/drivers"), ("viewer-driver", f"/drivers/{driver}"), ("viewer-calendar", "/assignments/calendar"), ("viewer-board", "/maintenance"),
                   ("viewer-inspections", "/inspections"), ("viewer-documents", "/documents"), ("viewer-forwards", "/forwards")],
        "driver": [("mine", "/mine"), ("fuel-new", "/fuel-entries/new?vehicleId=VAN-001"), ("my-expenses", "/expenses"), ("my-assignments", "/assignments")],
    }
    for module in (workshop, fleet, checklists):
        for role, listed in module.pages(stage_).items():
            found[role] = found.get(role, []) + listed
    unknown = [address for listed in found.values() for _, address in listed if address != MISSING and not route_of(address)]
    assert not unknown, f"not in the app's table of routes: {unknown}"
    found["admin"] += others(stage_, [address for listed in found.values() for _, address in listed])
    return found


def others(stage_, listed):
    """The pages of the app's table of routes whose addresses are not listed."""
    listed, found = {route_of(address): address for address in listed}, []
    for form in routes():
        if form in listed or form in duty.EXAMINED:
            continue
        kind, address = form.split("/")[1], form
        if ":id" in form:
            # The thing whose details are listed, or the first thing of the kind.
            details = listed.get(f"/{kind}/:id")
            things = [] if details else stage_.server.send("GET", f"/api/{kind}?limit=1")["data"]
            assert details or things, f"the pages of each role show nothing of the form {form}, and the fleet has no such thing"
            address = form.replace(":id", details.split("?")[0].split("/")[2] if details else things[0]["id"])
        found.append((form[1:].replace("/", "-").replace(":", ""), address))
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
    """The barriers of pages, wide and narrow, light and dark."""
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
        browser.calm()
        # Otherwise, axe would examine a message instead of the page.
        heading = browser.script("return document.querySelector('h1').textContent")
        if (heading == "This page does not exist.") != (path == MISSING) or heading in ("…", "That did not work"):
            found.append(f"{name}: shows nothing but {heading!r}")
        for width, height, dark in SHAPES:
            browser.shape(width, height, dark)
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
            found += [f"{name} {width}: {text!r} is cut" for text in cut_states(browser)]
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
