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

from stage import Browser, ROOT, Stage
from suite import IGNORED, PASSWORD, REFUSED, test


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
