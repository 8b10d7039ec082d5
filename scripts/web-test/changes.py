"""Tests of changes by other people that pages show while they are open: lists, details, forms, figures, and one connection for all of them."""
import concurrent.futures
import contextlib
import datetime
import json
import time

from stage import Browser
from suite import IGNORED, REFUSED, test

# Counts the connections, and collects what arrives on them and what the page asks for. `most` is the largest number of requests for a
# list at the same time.
WATCH = """
window.sockets = []; window.changes = []; window.asked = []; window.most = {};
const Real = WebSocket;
window.WebSocket = class extends Real {
  constructor(...given) {
    super(...given);
    sockets.push(this);
    this.addEventListener("message", event => {
      const message = JSON.parse(event.data);
      if (message.event === "change") changes.push(message.change ?? null);
    });
  }
};
const real = fetch, running = {};
window.fetch = async (path, init) => {
  if (init?.method !== "GET") return real(path, init);
  const list = path.split("?")[0];
  asked.push(path);
  running[list] = (running[list] ?? 0) + 1;
  most[list] = Math.max(most[list] ?? 0, running[list]);
  try { return await real(path, init); } finally { running[list] -= 1; }
};"""


@contextlib.contextmanager
def watched(browser):
    """Pages that are loaded meanwhile are watched."""
    script = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
    try:
        yield
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script["identifier"]})


def is_live(browser):
    """Whether the page has loaded its data again after its subscription began."""
    return browser.script("return window.sockets.some(socket => socket.readyState === 1)")


def change(server, path, body):
    return server.send("PATCH", path, body, headers={"If-Match": "*"})


def first(server, path):
    return server.send("GET", path)["data"][0]


def at(hours):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")


def each(things, send):
    """Sends a request for each thing, several at the same time."""
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(send, things))


@contextlib.contextmanager
def imported(server, prefix, count):
    """Vehicles that one request adds."""
    rows = "".join(f"{prefix}{number:03d},Ford,Transit\n" for number in range(count))
    server.send("POST", "/api/imports?kind=vehicles", ("id,make,model\n" + rows).encode(), headers={"Content-Type": "text/csv"})
    try:
        yield
    finally:
        each(server.send("GET", f"/api/vehicles?q={prefix}&limit=1000")["data"], lambda vehicle: server.send("DELETE", "/api/vehicles/" + vehicle["id"]))


@test
def list_shows_what_another_person_adds_and_stays_as_it_is(browser):
    server = browser.stage.server
    browser.shape(1440, 500, False)
    browser.sign_in("admin")
    browser.go("/vehicles?q=LIVE-")
    browser.sees("Nothing matches")
    # These are too many changes for a message about each.
    with imported(server, "LIVE-", 60):
        browser.sees("LIVE-059")
        browser.click("td.tick input", "Choose LIVE-030")
        browser.sees("1 chosen")
        browser.script("""
            const row = [...document.querySelectorAll('main tbody tr')].find(row => row.innerText.includes('LIVE-031'));
            row.scrollIntoView({block: 'center'});
            row.querySelector('a').focus({preventScroll: true});
            row.mark = true;
            // Signs of a load would disturb the person.
            window.signs = [];
            new MutationObserver(changes => {
              for (const change of changes) {
                if (change.type === 'attributes' && change.target.getAttribute('aria-busy') === 'true') signs.push('busy');
                for (const node of change.addedNodes) if (node.matches?.('.loading, .empty, table')) signs.push(node.className || node.tagName);
                for (const node of change.removedNodes) if (node.matches?.('table, tbody')) signs.push('removed ' + node.tagName);
              }
            }).observe(document.querySelector('main'), {subtree: true, childList: true, attributes: true, attributeFilter: ['aria-busy']});""")
        place = "const row = [...document.querySelectorAll('main tbody tr')].find(row => row.innerText.includes('LIVE-031')); return row.getBoundingClientRect().top"
        before = browser.script(place)
        server.send("PUT", "/api/vehicles/AAA-LIVE-1", {"make": "Opel"}, headers={"If-None-Match": "*"})
        change(server, "/api/vehicles/LIVE-031", {"make": "Changed"})
        browser.until(lambda: "AAA-LIVE-1" in browser.element("main table").text and "Changed" in browser.element("main table").text, "the new vehicle and the new make")
        assert abs(browser.script(place) - before) <= 1, (before, browser.script(place))
        assert browser.script("return document.activeElement.closest('tr')?.mark && document.activeElement.innerText") == "LIVE-031"
        assert "LIVE-030" in browser.element("main tr.picked").text and "1 chosen" in browser.text()
        assert browser.script("return window.signs") == [], browser.script("return window.signs")
        server.send("DELETE", "/api/vehicles/AAA-LIVE-1")
        browser.gone("AAA-LIVE-1")
    browser.shape(1440, 900, False)


@test
def row_that_moves_in_a_long_list_keeps_the_focus(browser):
    server = browser.stage.server
    with imported(server, "LONG-", 200):
        browser.sign_in("admin")
        browser.go("/vehicles?q=LONG-")
        browser.sees("LONG-000")
        browser.script("document.querySelector('main').scrollTo(0, 1e9)")
        browser.until(lambda: browser.script("return document.querySelector('main table')?.getAttribute('aria-rowcount')") == "201", "all rows")
        browser.script("document.querySelector('main').scrollTo(0, 0)")
        browser.sees("LONG-049")
        # The last row of the first part of the table is drawn in the second part afterwards.
        browser.script("[...document.querySelectorAll('main tbody tr')].find(row => row.innerText.includes('LONG-049')).querySelector('input').focus()")
        server.send("PUT", "/api/vehicles/AAA-LONG-1", {}, headers={"If-None-Match": "*"})
        browser.until(lambda: "AAA-LONG-1" in browser.element("main table").text, "the new row")
        # The list is still complete.
        assert browser.script("return document.querySelector('main table').getAttribute('aria-rowcount')") == "202"
        browser.until(lambda: browser.script("return document.activeElement.type === 'checkbox' && document.activeElement.closest('tr').innerText.includes('LONG-049')"), "the focus")
        server.send("DELETE", "/api/vehicles/AAA-LONG-1")


@test
def details_show_a_status_that_another_person_changes(browser):
    server = browser.stage.server
    defect = server.send("POST", "/api/defects", {"vehicleId": "VAN-007", "text": "Wiper is torn", "severity": "minor"})["id"]
    browser.sign_in("viewer")
    browser.go("/defects/" + defect)
    browser.until(lambda: "Open" in browser.element(".title").text, "the status")
    other = Browser(browser.stage)
    try:
        other.sign_in("maintenance")
        other.go("/defects/" + defect)
        other.click(".title .button", "Confirm")
        other.click("dialog .button.primary")
        other.until(lambda: "Confirmed" in other.element(".title").text, "the own status")
        browser.until(lambda: "Confirmed" in browser.element(".title").text, "the status that the other person has set")
        assert not other.troubles(IGNORED)
    finally:
        other.close()
    # The vehicle's page has a list of its defects.
    browser.go("/vehicles/VAN-007")
    browser.element(".links a", "Wiper is torn")
    server.send("POST", f"/api/defects/{defect}/dismiss", {"reason": "test"})
    browser.until(lambda: "No defect" in browser.script("return [...document.querySelectorAll('.links li')].find(row => row.innerText.includes('Wiper is torn')).innerText"), "the status in the list")


@test
def form_keeps_what_was_entered_while_another_person_changes_the_same_thing(browser):
    server = browser.stage.server
    before = server.send("GET", "/api/vehicles/VAN-007")
    browser.sign_in("admin")
    browser.go("/vehicles/VAN-007/edit")
    # A form in which nothing was entered shows the newer values.
    browser.element("#field-notes")
    change(server, "/api/vehicles/VAN-007", {"notes": "winter tyres"})
    browser.until(lambda: browser.element("#field-notes").get_attribute("value") == "winter tyres", "the newer notes")
    assert "Changed by someone else" not in browser.text()
    browser.fill("#field-model", "Caravelle")
    change(server, "/api/vehicles/VAN-007", {"make": "Volkswagen AG"})
    browser.sees("Changed by someone else meanwhile")
    assert [browser.element("#field-" + name).get_attribute("value") for name in ("model", "make")] == ["Caravelle", before["make"]]
    browser.click(".newer .button", "Show the changes")
    shown = browser.element(".newer dl").text
    assert "Volkswagen AG" in shown and "Caravelle" not in shown, shown
    for width in (1440, 390):
        browser.shape(width, 900, False)
        assert browser.script("return document.documentElement.scrollWidth <= innerWidth"), width
        browser.snapshot(f"newer-{width}")
    browser.shape(1440, 900, False)
    # Saving keeps the changes of both.
    browser.click(".form > .actions .button.primary")
    browser.until(lambda: browser.script("return location.pathname") == "/vehicles/VAN-007", "the vehicle")
    stored = server.send("GET", "/api/vehicles/VAN-007")
    assert (stored["model"], stored["make"], stored["notes"]) == ("Caravelle", "Volkswagen AG", "winter tyres"), stored
    # If both have changed the same field, the person chooses, as before.
    browser.go("/vehicles/VAN-007/edit")
    browser.fill("#field-model", "California")
    change(server, "/api/vehicles/VAN-007", {"model": "Multivan"})
    browser.sees("Changed by someone else meanwhile")
    browser.click(".form > .actions .button.primary")
    browser.until(lambda: "Multivan" in browser.element(".conflict").text, "the conflict")
    browser.gone("Changed by someone else meanwhile")
    browser.click(".conflict .button", "Keep mine")
    browser.click(".form > .actions .button.primary")
    browser.until(lambda: server.send("GET", "/api/vehicles/VAN-007")["model"] == "California", "the chosen model")
    change(server, "/api/vehicles/VAN-007", {name: before.get(name) for name in ("model", "make", "notes")})
    return [REFUSED]


@test
def draft_of_a_form_has_only_the_fields_that_were_changed(browser):
    server = browser.stage.server
    before = server.send("GET", "/api/vehicles/VAN-014")
    browser.sign_in("admin")
    browser.open("/vehicles/VAN-014/edit")
    browser.fill("#field-notes", "scratch on the left")
    # While the page is not open, another person changes another field.
    browser.open("about:blank")
    change(server, "/api/vehicles/VAN-014", {"model": "Crafter 35"})
    browser.open("/vehicles/VAN-014/edit")
    browser.until(lambda: browser.element("#field-notes").get_attribute("value") == "scratch on the left", "the draft")
    assert browser.element("#field-model").get_attribute("value") == "Crafter 35"
    browser.click(".form > .actions .button.primary")
    browser.until(lambda: browser.script("return location.pathname") == "/vehicles/VAN-014", "the vehicle")
    stored = server.send("GET", "/api/vehicles/VAN-014")
    assert (stored["model"], stored["notes"]) == ("Crafter 35", "scratch on the left"), stored
    change(server, "/api/vehicles/VAN-014", {name: before.get(name) for name in ("model", "notes")})


@test
def thing_that_another_person_deletes_is_not_shown_any_more(browser):
    server = browser.stage.server
    for path in ("/vehicles/GONE-2/edit", "/vehicles/GONE-2"):
        server.send("PUT", "/api/vehicles/GONE-2", {"make": "Seat"}, headers={"If-None-Match": "*"})
        browser.sign_in("admin")
        browser.go(path)
        if path.endswith("edit"):
            browser.fill("#field-notes", "sold")
        else:
            browser.sees("Seat")
        server.send("DELETE", "/api/vehicles/GONE-2")
        browser.sees("Deleted by someone else meanwhile" if path.endswith("edit") else "This does not exist")
        if path.endswith("edit"):
            assert browser.element("#field-notes").get_attribute("value") == "sold"
    return [REFUSED]


@test
def burst_of_changes_causes_few_requests(browser):
    server, count = browser.stage.server, 500
    drivers = [server.send("POST", "/api/drivers", {"name": f"Burst {number}"})["id"] for number in range(5)]
    with watched(browser):
        browser.sign_in("admin")
        browser.open("/drivers?q=Burst")
        browser.sees("Burst 4")
        browser.until(lambda: is_live(browser), "the connection")
        begun = time.monotonic()
        each(range(count), lambda number: change(server, "/api/drivers/" + drivers[number % 5], {"phone": f"+49 7531 {number}"}))
        change(server, "/api/drivers/" + drivers[0], {"phone": "+49 7531 9999"})
        browser.sees("+49 7531 9999")
        seconds = time.monotonic() - begun
        asked = browser.script("return window.asked.filter(path => path.startsWith('/api/drivers?') && path.includes('q=')).length")
        # The first load, the one after the subscription began, and then at most one every two seconds.
        assert asked <= 3 + seconds / 2 and asked <= count / 10, (asked, seconds)
        assert browser.script("return window.most['/api/drivers']") == 1, browser.script("return window.most")


@test
def pages_share_one_connection(browser):
    server = browser.stage.server
    expense = first(server, "/api/expenses?limit=1")["id"]
    with watched(browser):
        browser.sign_in("admin")
        browser.open("/vehicles")
        browser.until(lambda: is_live(browser), "the connection")
        for path in ("/live", "/fences", "/vehicles/VAN-001", "/drivers", f"/expenses/{expense}", "/fleet", "/maintenance", "/notifications", "/profile"):
            browser.go(path)
            browser.element("main h1")
        assert browser.script("return window.sockets.length") == 1, browser.script("return window.sockets.map(socket => socket.readyState)")
        # The page that is shown now receives changes, after all these subscriptions.
        browser.go("/expenses")
        browser.calm()
        change(server, "/api/expenses/" + expense, {"vendorName": "Changed meanwhile"})
        browser.sees("Changed meanwhile")
        change(server, "/api/expenses/" + expense, {"vendorName": "Toll Collect"})
        browser.sees("Toll Collect")
        # After the sign-out, nothing is received any more.
        browser.go("/profile")
        browser.click(".button", "Sign out")
        browser.element("#password")
        browser.until(lambda: browser.script("return window.sockets.every(socket => socket.readyState === 3)"), "the end of the connection")


@test
def visible_list_is_loaded_once_after_the_server_was_away(browser):
    stage_ = browser.stage
    with watched(browser):
        browser.sign_in("admin")
        browser.open("/drivers")
        browser.sees("Jane Smith")
        browser.until(lambda: is_live(browser), "the connection")
        stage_.stop()
        browser.until(lambda: not is_live(browser), "the interruption")
        browser.script("window.asked.length = 0")
        stage_.restart()
        # This happens before the page is connected again.
        driver = stage_.server.send("POST", "/api/drivers", {"name": "Zoe Restart"})["id"]
        browser.sees("Zoe Restart")
        lists = [path for path in browser.script("return window.asked") if path.startswith("/api/drivers?") and "id=" not in path]
        assert 1 <= len(lists) <= 2, lists
        # The connection stays open.
        change(stage_.server, "/api/drivers/" + driver, {"name": "Zoe Renamed"})
        browser.sees("Zoe Renamed")
    return [REFUSED, "net::ERR_CONNECTION_REFUSED", "WebSocket"]


@test
def figures_board_and_calendar_follow_changes(browser):
    server = browser.stage.server
    driver = server.send("POST", "/api/drivers", {"name": "Noah Live"})["id"]
    server.send("PUT", "/api/vehicles/FOLLOW-1", {"make": "Opel"}, headers={"If-None-Match": "*"})
    browser.sign_in("admin")
    browser.go("/fleet")
    browser.calm()
    tile = "return Number([...document.querySelectorAll('.tile')].find(tile => tile.innerText.startsWith('Vehicles')).querySelector('b').innerText)"
    vehicles = browser.script(tile)
    server.send("PUT", "/api/vehicles/FOLLOW-2", {"make": "Opel"}, headers={"If-None-Match": "*"})
    browser.until(lambda: browser.script(tile) == vehicles + 1, "the new number of vehicles")
    assignment = server.send("POST", "/api/assignments", {"vehicleId": "FOLLOW-1", "driverId": driver, "from": at(-1)})["id"]
    browser.sees("Noah Live")
    browser.go("/assignments/calendar?used=true")
    browser.element(".bar-link", "Noah Live")
    # A new name is shown as well.
    change(server, "/api/drivers/" + driver, {"name": "Noah Renamed"})
    browser.element(".bar-link", "Noah Renamed")
    server.send("POST", f"/api/assignments/{assignment}/cancel", {})
    browser.until(lambda: not [bar for bar in browser.all(".bar-link") if "Noah" in bar.text], "the calendar without the assignment")
    browser.go("/maintenance")
    browser.calm()
    record = server.send("POST", "/api/maintenance-records", {"vehicleId": "FOLLOW-2", "serviceType": "brakeService", "scheduledDate": at(48)[:10], "vendorName": "Live garage"})["id"]
    browser.sees("Live garage")
    server.send("POST", f"/api/maintenance-records/{record}/start", {})
    browser.until(lambda: "Live garage" in browser.script("return document.getElementById('column-inProgress').closest('section').innerText"), "the work in progress")
    server.send("POST", f"/api/maintenance-records/{record}/cancel", {})
    browser.gone("Live garage")
    for vehicle in ("FOLLOW-1", "FOLLOW-2"):
        server.send("DELETE", "/api/vehicles/" + vehicle)


@test
def number_of_unread_notifications_follows_at_once(browser):
    server = browser.stage.server
    rule = server.send("POST", "/api/rules", {"name": "Live count", "events": ["defectOpened"], "roles": ["admin"], "channels": ["inApp"]})["id"]
    browser.sign_in("admin")
    browser.go("/profile")
    browser.calm()
    count = "return Number(document.querySelector('.unread-count .count')?.innerText ?? 0)"
    unread = len(browser.script("return fetch('/api/notifications?unread=true&limit=100').then(answer => answer.json()).then(page => page.data)"))
    browser.until(lambda: browser.script(count) == unread, "the present number")
    begun = time.monotonic()
    defect = server.send("POST", "/api/defects", {"vehicleId": "VAN-007", "text": "Bulb is out", "severity": "minor"})["id"]
    browser.until(lambda: browser.script(count) == unread + 1, "the new number")
    # Without the message, the number is read once a minute.
    assert time.monotonic() - begun < 30
    browser.go("/notifications")
    browser.element(".notes-list", "Bulb is out")
    other = server.send("POST", "/api/defects", {"vehicleId": "VAN-007", "text": "Horn is silent", "severity": "minor"})["id"]
    browser.element(".notes-list", "Horn is silent")
    change(server, "/api/rules/" + rule, {"isActive": False})
    for one in (defect, other):
        server.send("POST", f"/api/defects/{one}/dismiss", {"reason": "test"})


@test
def driver_learns_only_of_own_things(browser):
    server = browser.stage.server
    before = server.send("GET", "/api/vehicles/VAN-001")
    with watched(browser):
        browser.sign_in("driver")
        browser.open("/mine")
        browser.sees("KN-FL 101")
        browser.until(lambda: is_live(browser), "the connection")
        change(server, "/api/vehicles/VAN-014", {"notes": "not for the driver"})
        change(server, "/api/vehicles/VAN-001", {"licencePlate": "KN-FL 102"})
        browser.sees("KN-FL 102")
        # The change of the other vehicle came first, so it would have arrived.
        browser.until(lambda: browser.script("return window.changes.some(change => change?.id === 'VAN-001')"), "the own change")
        received = browser.script("return window.changes")
        assert [one["id"] for one in received] == ["VAN-001"], json.dumps(received)
        change(server, "/api/vehicles/VAN-001", {"licencePlate": before["licencePlate"]})
        browser.sees(before["licencePlate"])
    change(server, "/api/vehicles/VAN-014", {"notes": None})
