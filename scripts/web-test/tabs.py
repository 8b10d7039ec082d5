"""Tests of two tabs of one person, and of pages that stay open while the server restarts."""
import time

from stage import demo
from suite import REFUSED, test

# Collects the records of the live connection as channels and ids, and the answered requests that change something.
WATCH = """
if (!window.received) {
window.received = []; window.changes = [];
const Real = WebSocket;
window.WebSocket = class extends Real {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", event => {
      const message = JSON.parse(event.data);
      if (message.event === "record") received.push([message.channel, message.record.id]);
    });
  }
};
const real = fetch;
window.fetch = async (path, init) => {
  const answer = await real(path, init);
  if (init?.method && init.method !== "GET") changes.push(init.method + " " + path);
  return answer;
};
}"""


class Tabs:
    """Two tabs of one window. `show` switches between them."""

    def __init__(self, browser, path):
        self.browser, self.driver = browser, browser.driver
        browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        self.first = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        self.second = self.driver.current_window_handle
        browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        for tab in (self.first, self.second):
            self.show(tab)
            browser.open(path)
            browser.calm()

    def show(self, tab):
        self.driver.switch_to.window(tab)

    def close(self):
        self.show(self.second)
        self.driver.close()
        self.show(self.first)


def offline(browser, is_offline):
    browser.driver.execute_cdp_cmd("Network.enable", {})
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})


@test
def sign_out_in_one_tab_ends_the_other(browser):
    browser.sign_in("viewer")
    tabs = Tabs(browser, "/vehicles")
    tabs.show(tabs.first)
    browser.click(".avatar")
    browser.click(".button", "Sign out")
    browser.element("#password")
    tabs.show(tabs.second)
    browser.element("#password")
    assert "KN-FL 101" not in browser.text()
    # Signing in there signs in here as well, as the same person.
    account = browser.stage.accounts["maintenance"]
    browser.fill("#email", account["email"])
    browser.fill("#password", account["password"])
    browser.click("form .button.primary")
    browser.element(".avatar")
    tabs.show(tabs.first)
    browser.element(".avatar")
    # Another person signs in: this tab shows nothing more of the first one.
    tabs.show(tabs.second)
    browser.sign_in("admin")
    tabs.show(tabs.first)
    browser.until(lambda: browser.all(".rail a[href='/people']"), "the pages of the administrator")
    tabs.close()


@test
def edits_in_two_tabs_are_shown_field_by_field(browser):
    server = browser.stage.server
    browser.sign_in("admin")
    before = server.send("GET", "/api/vehicles/TRUCK-012")
    tabs = Tabs(browser, "/vehicles/TRUCK-012/edit")
    for tab, model, notes in [(tabs.first, "Actros L", ""), (tabs.second, "Actros F", "second tab")]:
        tabs.show(tab)
        browser.fill("#field-model", model)
        browser.fill("#field-notes", notes)
    tabs.show(tabs.first)
    browser.click(".form > .actions .button.primary")
    browser.sees("Saved")
    tabs.show(tabs.second)
    # Neither tab has changed what was entered in the other one.
    assert browser.element("#field-model").get_attribute("value") == "Actros F"
    browser.click(".form > .actions .button.primary")
    browser.until(lambda: "Actros L" in browser.element(".conflict").text, "the conflict")
    assert server.send("GET", "/api/vehicles/TRUCK-012")["model"] == "Actros L"
    browser.click(".conflict .button", "Take the stored one")
    browser.click(".form > .actions .button.primary")
    browser.until(lambda: server.send("GET", "/api/vehicles/TRUCK-012").get("notes") == "second tab", "the notes of the second tab")
    assert server.send("GET", "/api/vehicles/TRUCK-012")["model"] == "Actros L"
    tabs.close()
    server.send("PATCH", "/api/vehicles/TRUCK-012", {"model": before["model"], "notes": before.get("notes")}, headers={"If-Match": "*"})
    return [REFUSED]


@test
def entries_that_wait_are_sent_by_one_of_two_tabs(browser):
    server = browser.stage.server
    browser.sign_in("driver")
    browser.sees("KN-FL 101")
    tabs = Tabs(browser, "/mine")
    for tab in (tabs.first, tabs.second):
        tabs.show(tab)
        browser.sees("KN-FL 101")
        offline(browser, True)
    tabs.show(tabs.first)
    browser.click(".button", "Start a journey")
    browser.fill("dialog #field-odometer", "48500")
    browser.click("dialog .button.primary")
    browser.sees("Waiting to be sent")
    # The other tab shows the same entries.
    tabs.show(tabs.second)
    browser.sees("Waiting to be sent")
    for tab in (tabs.second, tabs.first):
        tabs.show(tab)
        browser.script("window.changes.length = 0")
    # Both tabs have the network again at the same time.
    for tab in (tabs.second, tabs.first):
        tabs.show(tab)
        offline(browser, False)
    for tab in (tabs.second, tabs.first):
        tabs.show(tab)
        browser.script("dispatchEvent(new Event('online'))")
    sent = []
    for tab in (tabs.first, tabs.second):
        tabs.show(tab)
        browser.gone("Waiting to be sent")
        browser.element(".button", "End the journey")
        sent += browser.script("return window.changes")
    assert len(sent) == len(set(sent)) == 2, sent
    [journey] = server.send("GET", "/api/journeys?status=inProgress")["data"]
    assert [entry["event"] for entry in journey["log"]] == ["started"], journey
    tabs.close()
    server.send("POST", f"/api/journeys/{journey['id']}/complete", {"odometer": 48501})
    return [REFUSED, "net::ERR_INTERNET_DISCONNECTED", "WebSocket"]


def record(stage_, vehicle, speed):
    """Sends a record of a vehicle, and returns its id."""
    number = [car["id"] for car in demo.CARS].index(vehicle)
    with open(f"{stage_.folder}/car{number}.token", encoding="utf-8") as file:
        key = file.read().strip()
    now = time.time()
    stage_.sent = getattr(stage_, "sent", 0) + 1
    made = demo.uuid7(int(now * 1000), stage_.sent)
    stage_.server.send("POST", "/api/telemetry", [{
        "type": "telemetry", "id": made, "timestamp": demo.text_of(now), "timeQuality": "gps", "gatewayId": "gw-" + vehicle.lower(), "vehicleId": vehicle,
        "epoch": demo.uuid7(0, 7), "seq": stage_.sent, "latitude": demo.CENTRE[0], "longitude": demo.CENTRE[1], "speed": speed, "rpm": 1500}], key)
    return made


@test
def pages_that_are_open_survive_a_restart_of_the_server(browser):
    stage_ = browser.stage
    browser.sign_in("admin")
    tabs = Tabs(browser, "/vehicles/TRUCK-012")
    tabs.show(tabs.first)
    browser.go("/live?vehicle=TRUCK-012")
    browser.element(".pulse.on")
    sent = [record(stage_, "TRUCK-012", 31)]
    browser.until(lambda: "31 km/h" in browser.element(".peek").text, "the first speed")
    stage_.stop()
    browser.until(lambda: not browser.all(".pulse.on"), "the interruption")
    stage_.restart()
    # These arrive before the pages are connected again.
    sent += [record(stage_, "TRUCK-012", 42), record(stage_, "TRUCK-012", 53)]
    browser.element(".pulse.on")
    browser.until(lambda: "53 km/h" in browser.element(".peek").text, "the speed after the restart")
    for tab, channel, seen in (
            (tabs.first, "fleet", lambda: "64 km/h" in browser.element(".peek").text),
            (tabs.second, "vehicle:TRUCK-012", lambda: browser.element(".gauge").text.startswith("64"))):
        tabs.show(tab)
        if tab == tabs.first:
            sent.append(record(stage_, "TRUCK-012", 64))
        browser.until(seen, "the newest speed")
        # For some seconds, the first tab also receives the vehicle's channel, which its previous page has used.
        received = [one for of, one in browser.script("return window.received") if of == channel and one in sent]
        assert received == sent[-len(received):] and len(received) >= 3, (received, sent)
    # What the person does after the restart works without signing in again.
    browser.go("/drivers")
    browser.sees("Jane")
    tabs.close()
    return [REFUSED, "net::ERR_CONNECTION_REFUSED", "WebSocket"]
