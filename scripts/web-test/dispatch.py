"""Tests of the pages for dispatchers and administrators."""
import datetime
import json
import re
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import zlib

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from stage import ROOT, Browser, Stage
from suite import IGNORED, PASSWORD, REFUSED, test

GEOJSON = {"Content-Type": "application/geo+json"}


def fences(browser):
    return {feature["properties"]["id"]: feature for feature in browser.stage.server.send("GET", "/api/geofences")["features"]}


def put_fences(browser, features):
    browser.stage.server.send("PUT", "/api/geofences", json.dumps({"type": "FeatureCollection", "features": features}).encode(), headers=GEOJSON)


def canvas(browser):
    browser.settled()
    return browser.element(".canvas canvas")


def click_map(browser, *places):
    """Clicks on places of the map, in pixels from its centre."""
    for x, y in places:
        ActionChains(browser.driver).move_to_element_with_offset(canvas(browser), x, y).click().perform()


def enter(browser, selector, text):
    """Replaces the text of a field as a person does: by selecting all of it, and typing."""
    element = browser.element(selector)
    element.send_keys(Keys.CONTROL, "a")
    element.send_keys(text)


def square(longitude, latitude, size):
    west, south, east, north = longitude - size, latitude - size, longitude + size, latitude + size
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def area(name, ring, **properties):
    return {"type": "Feature", "properties": {"id": name.lower(), "name": name, **properties}, "geometry": {"type": "Polygon", "coordinates": [ring]}}


@test
def fence_that_was_drawn_reports_the_vehicle_that_drives_through_it(browser):
    before = list(fences(browser).values())
    browser.sign_in("admin")
    browser.go("/fences")
    browser.click(".button", "Draw a fence")
    browser.fill("#fence-name", "Bridge over the Rhine")
    click_map(browser, (-150, -120), (130, -120), (150, 110))
    browser.until(lambda: len(browser.all(".points tbody tr")) == 3, "three points")
    # A recorded drive crosses the bridge at 47.6599, 9.1802.
    for number, (latitude, longitude) in enumerate([(47.6589, 9.1782), (47.6589, 9.1822), (47.6619, 9.1802)]):
        enter(browser, f"[aria-label='Latitude {number + 1}']", str(latitude))
        enter(browser, f"[aria-label='Longitude {number + 1}']", str(longitude))
    browser.click(".form .button.primary")
    browser.until(lambda: browser.script("return location.pathname") == "/fences/bridge-over-the-rhine", "the fence")
    browser.sees("No vehicle has crossed a fence yet")
    # A gateway fetches the fences, and drives.
    key = browser.stage.server.send("POST", "/api/gateways", {"id": "replay"})["key"]
    path = browser.stage.folder + "/fences.geojson"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(browser.stage.server.send("GET", "/api/geofences", token=key), file)
    drive = subprocess.run([ROOT + "/.build/debug/obdgate", "replay", "--fences", path, ROOT + "/captures/drive.capture"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    browser.stage.server.send("POST", "/api/telemetry", drive.stdout, key, {"Content-Type": "application/x-ndjson"})
    browser.sees("entered")
    browser.sees("left")
    assert "VF3M45GFRLS031759" in browser.element(".crossings").text
    browser.stage.server.send("DELETE", "/api/vehicles/VF3M45GFRLS031759")
    browser.stage.server.send("DELETE", "/api/gateways/replay")
    put_fences(browser, before)


@test
def fence_is_edited_with_the_mouse_and_each_step_can_be_undone(browser):
    before = list(fences(browser).values())
    put_fences(browser, [area("Yard", square(9.2, 47.7, 0.01), colour="red")])
    browser.sign_in("admin")
    browser.go("/fences/yard/edit")
    browser.until(lambda: len(browser.all(".points tbody tr")) == 4, "four points")
    settled = canvas(browser)
    # The middle of the map is the middle of the fence. The point in the middle of the northern edge becomes a fifth point.
    top = browser.script("""
        const height = document.querySelector('.canvas').clientHeight;
        return -(height / 2 - 90)""")
    ActionChains(browser.driver).move_to_element_with_offset(settled, 0, round(top)).click_and_hold().move_by_offset(0, 30).move_by_offset(0, 30).release().perform()
    browser.until(lambda: len(browser.all(".points tbody tr")) == 5, "the new point")
    browser.click(".form .button", "Undo")
    browser.until(lambda: len(browser.all(".points tbody tr")) == 4, "four points again")
    browser.click("[aria-label='Remove point 4']")
    browser.fill("#fence-dwell", "15")
    browser.fill("#fence-speedLimit", "20 mph")
    browser.click(".form .button.primary")
    browser.sees("stay of 15 min")
    stored = fences(browser)["yard"]
    assert len(stored["geometry"]["coordinates"][0]) == 4, stored
    properties = stored["properties"]
    assert properties["dwellSeconds"] == 900 and properties["colour"] == "red" and abs(properties["speedLimit"] - 32.19) < 0.01, stored
    # An outline that crosses itself is explained before it is sent.
    browser.click(".button", "Edit")
    for number, (latitude, longitude) in enumerate([(47.69, 9.19), (47.71, 9.21), (47.69, 9.21)]):
        enter(browser, f"[aria-label='Latitude {number + 1}']", f"{latitude}, {longitude}")
    browser.click(".form .button", "Point at the centre")
    enter(browser, "[aria-label='Latitude 4']", "47.71, 9.19")
    browser.click(".form .button.primary")
    browser.sees("The outline crosses itself: the edge after point 1 and the edge after point 3")
    put_fences(browser, before)


@test
def conflict_between_two_people_who_edit_a_fence_is_shown(browser):
    before = list(fences(browser).values())
    put_fences(browser, [area("Yard", square(9.2, 47.7, 0.01)), area("Lake", square(9.3, 47.6, 0.01))])
    browser.sign_in("admin")
    # Another person changes another fence: both changes stay.
    browser.go("/fences/yard/edit")
    browser.element(".points tbody tr")
    put_fences(browser, [area("Yard", square(9.2, 47.7, 0.01)), area("Lake", square(9.3, 47.6, 0.02))])
    browser.fill("#fence-name", "North yard")
    browser.click(".form .button.primary")
    browser.sees("Another person has changed other fences meanwhile")
    stored = fences(browser)
    assert stored["yard"]["properties"]["name"] == "North yard" and stored["lake"]["geometry"]["coordinates"] == [square(9.3, 47.6, 0.02)], stored
    # Another person changes the same fence: this person decides.
    browser.click(".button", "Edit")
    browser.fill("#fence-name", "My yard")
    theirs = area("Yard", square(9.2, 47.7, 0.02))
    theirs["properties"]["name"] = "Their yard"
    put_fences(browser, [theirs])
    browser.click(".form .button.primary")
    browser.sees("Another person has changed the same")
    assert "Their yard" in browser.element(".summary.warn").text and "another outline" in browser.element(".summary.warn").text
    browser.click(".summary.warn .button", "Keep mine")
    browser.sees("My yard")
    browser.until(lambda: fences(browser)["yard"]["properties"]["name"] == "My yard", "my version")
    # A fence that was removed comes back with one click.
    browser.click(".button", "Remove the fence")
    browser.click("dialog .danger-fill")
    browser.sees("My yard was removed")
    assert not fences(browser)
    browser.click(".message .plain", "Undo")
    browser.until(lambda: "My yard" in [feature["properties"]["name"] for feature in fences(browser).values()], "the fence again")
    put_fences(browser, before)
    return [REFUSED]


@test
def fence_is_drawn_by_keyboard_alone(browser):
    before = list(fences(browser).values())
    browser.sign_in("admin")
    browser.go("/fences/new")
    browser.calm()
    name = browser.element("#fence-name")
    name.send_keys("Corner")
    element = canvas(browser)
    browser.script("arguments[0].focus({focusVisible: true})", element)
    element.send_keys(Keys.ENTER, *[Keys.ARROW_RIGHT] * 2)
    canvas(browser).send_keys(Keys.ENTER, *[Keys.ARROW_DOWN] * 2)
    canvas(browser).send_keys(Keys.ENTER, Keys.ESCAPE)
    browser.until(lambda: len(browser.all(".points tbody tr")) == 3, "three points")
    name.send_keys(Keys.ENTER)
    browser.until(lambda: browser.script("return location.pathname") == "/fences/corner", "the fence")
    [first, second, third, _] = fences(browser)["corner"]["geometry"]["coordinates"][0]
    assert second[0] > first[0] and abs(second[1] - first[1]) < 1e-6 and third[1] < second[1], (first, second, third)
    put_fences(browser, before)


def peers():
    """Starts a provider and a mail server. Returns them, with the issuer and the port of the mail server."""
    support = ROOT + "/Tests/Support/"
    provider = subprocess.Popen([sys.executable, support + "hostile-provider.py"], stdout=subprocess.PIPE, text=True)
    issuer = "http://127.0.0.1:" + provider.stdout.readline().split()[1] + "/good"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    mail = subprocess.Popen([sys.executable, support + "mail-peer.py", str(port)], stdout=subprocess.PIPE, text=True)
    assert mail.stdout.readline().strip() == "ready"
    return provider, mail, issuer, port


@test
def accounts_use_passkeys_a_provider_and_recovery_by_mail(browser):
    provider, mail, issuer, port = peers()
    secret = tempfile.NamedTemporaryFile("w", suffix=".secret")
    secret.write("s/cret\n")
    secret.flush()
    stage, own = None, None
    try:
        stage = Stage(configuration={
            "accounts": {"url": "http://localhost:{port}", "name": "Depot", "providers": [
                {"id": "company", "name": "Company", "issuer": issuer, "clientId": "fleet", "clientSecretFile": secret.name, "allowedDomains": ["example.org"]}]},
            "mail": {"url": f"smtp://127.0.0.1:{port}", "from": "Fleet <fleet@example.com>"}})
        own = Browser(stage)
        # A passkey belongs to a host name; it cannot belong to an address of numbers.
        stage.address = stage.address.replace("127.0.0.1", "localhost")
        passkey(own)
        recovery(own, mail)
        single_sign_on(own)
        troubles = own.troubles([REFUSED, *IGNORED])
        assert not troubles, troubles
    finally:
        if own:
            own.close()
        if stage:
            stage.close()
        for program in (provider, mail):
            program.kill()
            program.wait()
            program.stdout.close()
        secret.close()


def sign_in_with_password(browser, email, password):
    browser.open("/sign-in")
    browser.fill("#email", email)
    browser.fill("#password", password)
    browser.click("form .button.primary")


def passkey(browser):
    account = browser.stage.accounts["admin"]
    browser.driver.execute_cdp_cmd("WebAuthn.enable", {})
    browser.driver.execute_cdp_cmd("WebAuthn.addVirtualAuthenticator", {"options": {
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True}})
    sign_in_with_password(browser, account["email"], account["password"])
    browser.element(".avatar")
    browser.go("/profile")
    browser.click(".button", "Add a passkey")
    browser.sees("The passkey was added")
    # The same device has only one passkey of an account.
    browser.click(".button", "Add a passkey")
    browser.sees("This device has a passkey for this account already")
    browser.click(".button", "Sign out")
    browser.click(".button", "Sign in with a passkey")
    browser.element(".avatar")
    browser.go("/profile")
    browser.sees("last used")
    browser.click("li .button", "Remove")
    browser.click("dialog .danger-fill")
    browser.sees("Only the password protects this account")
    browser.click(".button", "Sign out")


def recovery(browser, mail):
    account = browser.stage.accounts["driver"]
    browser.click("a", "Forgot the password?")
    browser.fill("#email", account["email"])
    browser.click("form .button.primary")
    browser.sees("If there is an account with this address")
    while True:
        message = json.loads(mail.stdout.readline())
        if message["event"] == "mail" and account["email"] in message["to"]:
            found = re.search(r"http://localhost:\d+(/reset#\S+)", message["plain"])
            if found:
                break
    browser.open(found[1])
    browser.fill("#password", PASSWORD)
    browser.click("form .button.primary")
    browser.until(lambda: browser.all("#email") or browser.all(".avatar"), "the account")
    if browser.all("#email"):
        sign_in_with_password(browser, account["email"], PASSWORD)
    browser.sees("KN-FL 101")
    browser.go("/profile")
    browser.click(".button", "Sign out")
    browser.element("#email")


def single_sign_on(browser):
    browser.open("/sign-in")
    browser.click("a.button", "Sign in with Company")
    browser.click("#continue")
    browser.element(".avatar")
    browser.go("/profile")
    browser.sees("ann@example.org")
    browser.sees("Accounts of providers")
    browser.element(".button", "Unlink")


@test
def trip_is_replayed_on_the_map(browser):
    browser.sign_in("admin")
    browser.go("/vehicles/VAN-001")
    browser.until(lambda: len(browser.all(".trips tbody tr")) >= 3, "the trips")
    browser.all(".trips tbody tr .link")[1].click()
    slider = browser.element(".player input")
    browser.settled()
    first = browser.element(".player output").text
    slider.send_keys(*[Keys.ARROW_RIGHT] * 30)
    browser.until(lambda: browser.element(".player output").text != first, "a later time")
    assert "km/h" in slider.get_attribute("aria-valuetext")
    browser.click(".player .button", "Play")
    browser.click(".player .button", "Pause")
    # The address keeps the trip.
    assert "trip=" in browser.script("return location.search")


@test
def chart_asks_the_server_for_more_values_of_the_part_that_is_chosen(browser):
    browser.sign_in("admin")
    browser.go("/vehicles/VAN-001?hours=24&signal=coolantTemp")
    browser.until(lambda: "one value for every 108 s" in browser.text(), "the whole day")
    def resolution():
        return re.search(r"one value for every [\d.,]+ \w+|all values|$", browser.text()).group()

    def choose():
        plot = browser.element(".plot .u-over")
        width = plot.size["width"]
        ActionChains(browser.driver).move_to_element_with_offset(plot, width // 3, 0).click_and_hold().move_by_offset(width // 8, 0).release().perform()
        return True

    for _ in range(3):
        before = resolution()
        browser.until(choose, "the chart")
        browser.until(lambda: resolution() not in ("", before), "more values")
    browser.until(lambda: "all values" in browser.text() or "every 2 s" in browser.text(), "all values")
    browser.click(".button", "Zoom out")
    browser.until(lambda: "one value for every" in browser.text(), "the part before")


@test
def audit_is_verified_by_one_click(browser):
    browser.sign_in("admin")
    browser.go("/audit")
    browser.click(".button", "Verify")
    browser.sees("entries are as they were written")
    head = browser.stage.server.send("GET", "/api/audit?limit=1")["data"][0]
    assert browser.element(".verification code").text.split(" ")[1] in {entry["hash"] for entry in browser.stage.server.send("GET", "/api/audit?limit=5")["data"]}, head


@test
def report_is_made_and_downloaded(browser):
    # The figures of days are computed when they are read, or within minutes.
    browser.stage.server.send("GET", f"/api/vehicles/VAN-001/days?from={datetime.date.today()}&to={datetime.date.today()}")
    browser.sign_in("admin")
    browser.go("/reports")
    browser.click(".button", "New report")
    for name in ("from", "to"):
        browser.script("const field = document.getElementById(arguments[0]); field.value = arguments[1]; field.dispatchEvent(new Event('input', {bubbles: true}))", "field-" + name, str(datetime.date.today()))
    browser.click(".form .button.primary")
    browser.sees("Engine on")
    browser.sees("VAN-001")
    browser.element(".bars tr")
    address = browser.element("a[download]").get_attribute("href")
    text = browser.driver.execute_async_script("const done = arguments[1]; fetch(arguments[0]).then(answer => answer.text()).then(done)", address)
    assert "VAN-001" in text and text.startswith("group"), text[:200]


@test
def tiles_of_an_mbtiles_file_are_the_base_map(_):
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/town.mbtiles"
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE metadata (name text, value text)")
            database.execute("CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob)")
            database.executemany("INSERT INTO metadata VALUES (?, ?)", [("format", "png"), ("attribution", "<b>Town</b> survey")])
            database.execute("INSERT INTO tiles VALUES (0, 0, 0, ?)", [png(200, 40, 40)])
        stage = Stage(configuration={"web": {"map": {"tiles": path}}})
        own = None
        try:
            own = Browser(stage)
            own.sign_in("admin")
            own.settled()
            own.until(lambda: "Town survey" in own.element(".maplibregl-ctrl-attrib").text, "the attribution")
            own.until(lambda: own.script("return performance.getEntriesByName(location.origin + '/map/tiles/0/0/0').some(file => file.responseStatus === 200)"), "the tile")
            troubles = own.troubles(IGNORED)
            assert not troubles, troubles
        finally:
            if own:
                own.close()
            stage.close()


def png(red, green, blue):
    """A picture of 256 by 256 pixels in one colour."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    line = b"\0" + bytes((red, green, blue)) * 256
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(line * 256)) + chunk(b"IEND", b"")


@test
def push_messages_are_turned_on_for_this_device(browser):
    # Chromium without a push service cannot subscribe, so the page gets a subscription with the keys of RFC 8291.
    browser.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["notifications"], "origin": browser.stage.address})
    browser.sign_in("admin")
    browser.go("/profile")
    browser.sees("Messages to this device")
    browser.script("""
      const subscription = {
        toJSON: () => ({ endpoint: "https://push.example/1", expirationTime: null, keys: { auth: "BTBZMqHH6r4Tts7J_aSIgg",
          p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4" } }),
        unsubscribe: async () => { window.current = null; return true; },
      };
      window.current = null;
      window.asked = null;
      PushManager.prototype.getSubscription = async () => window.current;
      PushManager.prototype.subscribe = async options => { window.asked = options; return window.current = subscription; };""")
    assert browser.script("return window.asked") is None, "nothing is asked before a click"
    browser.click(".button", "Notify me on this device")
    browser.sees("This device shows messages now")
    asked = browser.script("return window.asked")
    assert asked["userVisibleOnly"] and len(asked["applicationServerKey"]) == 87, asked
    browser.click(".button", "Turn off")
    browser.sees("No device shows messages")
    assert browser.script("return window.current") is None
