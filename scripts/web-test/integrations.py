"""Tests of settings, and of the other systems that a fleet is connected with."""
from suite import REFUSED, test
from fleet import rows


@test
def settings_of_the_fleet_are_changed_and_a_conflict_is_shown(browser):
    server = browser.stage.server
    browser.sign_in("admin")
    browser.click(".rail a", "Settings")
    browser.sees("A journey needs an inspection before it")
    browser.click(".button", "Edit")
    browser.fill("#field-timeZone", "Europe/Nowhere")
    browser.click(".form .button.primary")
    browser.until(lambda: "Time zone" in browser.element(".summary").text, "the fault at the field")
    browser.fill("#field-timeZone", "Europe/Vienna")
    server.send("PATCH", "/api/settings", {"timeZone": "Europe/Zurich", "tripsToVerify": 4}, headers={"If-Match": "*"})
    browser.click(".form .button.primary")
    browser.until(lambda: "Europe/Zurich" in browser.element(".conflict").text, "the conflict")
    browser.click(".conflict .button", "Keep mine")
    browser.click(".form .button.primary")
    browser.sees("Saved")
    browser.until(lambda: "Europe/Vienna" in browser.element(".facts").text, "the new time zone")
    stored = server.send("GET", "/api/settings")
    assert (stored["timeZone"], stored["tripsToVerify"]) == ("Europe/Vienna", 4), stored
    server.send("PATCH", "/api/settings", {"timeZone": None, "tripsToVerify": 3}, headers={"If-Match": "*"})
    browser.sign_in("viewer")
    browser.go("/settings")
    browser.sees("A journey needs an inspection before it")
    assert not browser.all(".title .button")
    # The addresses of other programs often contain secrets, so only administrators have these pages.
    assert not [link for link in browser.all("main a") if (link.get_attribute("href") or "").endswith(("/webhooks", "/forwards", "/connectors"))]
    return [REFUSED]


@test
def webhook_shows_its_secret_once_and_its_deliveries(browser):
    server = browser.stage.server
    browser.sign_in("admin")
    browser.go("/webhooks/new")
    browser.fill("#field-url", "http://hooks.example")
    browser.click(".form .button.primary")
    browser.until(lambda: "Address" in browser.element(".summary").text, "the fault at the field")
    browser.fill("#field-url", "https://receiver.invalid/hook")
    browser.fill("#field-description", "Workshop board")
    browser.click(".check", "Vehicle is unsafe")
    browser.click(".form .button.primary")
    browser.sees("It is shown only now")
    secret = browser.element(".new-secret code").text
    assert secret.startswith("whsec_")
    [webhook] = [one for one in server.send("GET", "/api/webhooks")["data"] if one.get("description") == "Workshop board"]
    assert webhook["events"] == ["defectUnsafe"] and "secret" not in webhook, webhook
    # The secret stays while its page is shown, and is nowhere afterwards.
    browser.click(".button", "Send a test")
    browser.click("dialog .button.primary")
    browser.sees("The test is being sent")
    browser.sees(secret)
    browser.until(lambda: browser.click(".card .button", "Reload") or any("Test" in row for row in rows(browser)), "the delivery")
    browser.go("/webhooks")
    browser.sees("Workshop board")
    browser.go("/webhooks/" + webhook["id"])
    browser.sees("Newest deliveries")
    assert secret not in browser.text() and secret not in browser.script("return JSON.stringify([localStorage, sessionStorage])")
    browser.click(".menu > .button", "More")
    browser.click(".title .button", "New secret")
    browser.click("dialog .button.primary")
    browser.sees("Old secret good until")
    newer = browser.element(".new-secret code").text
    assert newer.startswith("whsec_") and newer != secret
    browser.click(".menu > .button", "More")
    browser.click(".title .button", "Switch off")
    browser.click("dialog .button.primary")
    browser.sees("It is off")
    browser.click(".message .plain", "Undo")
    browser.until(lambda: server.send("GET", "/api/webhooks/" + webhook["id"])["isActive"], "it is on again")
    # Without chosen events, all are sent.
    browser.click(".button", "Edit")
    browser.click(".check", "Vehicle is unsafe")
    browser.click(".form .button.primary")
    browser.sees("Saved")
    assert not server.send("GET", "/api/webhooks/" + webhook["id"]).get("events")
    browser.click(".menu > .button", "More")
    browser.click(".title .button", "Delete")
    browser.click("dialog .danger-fill")
    browser.sees("It was deleted")
    assert not [one for one in server.send("GET", "/api/webhooks")["data"] if one["id"] == webhook["id"]]
    return [REFUSED]


@test
def connector_keeps_its_secret_and_says_why_it_does_not_work(browser):
    server = browser.stage.server
    browser.sign_in("admin")
    browser.go("/connectors/new")
    browser.fill("#field-name", "Excavators of the quarry")
    def select(name, value):
        browser.script("const field = document.getElementById(arguments[0]); field.value = arguments[1]; field.dispatchEvent(new Event('input', {bubbles: true}))", "field-" + name, value)
    assert not browser.all("#field-signIn")
    browser.element("#field-service")
    select("service", "aemp")
    browser.element("#field-signIn")
    select("signIn", "basic")
    browser.fill("#field-userName", "fleet")
    browser.fill("#field-secret", "s3cret of the maker")
    browser.fill("#field-address", "https://machines.invalid/aemp")
    # Neither the page nor the draft shows the secret.
    assert browser.element("#field-secret").get_attribute("type") == "password"
    browser.until(lambda: "machines.invalid" in browser.script("return JSON.stringify(sessionStorage)"), "the draft")
    assert "s3cret" not in browser.script("return JSON.stringify([localStorage, sessionStorage])")
    browser.click(".form .button.primary")
    browser.sees("A secret is stored")
    [connector] = [one for one in server.send("GET", "/api/connectors")["data"] if one["name"].startswith("Excavators of")]
    assert connector["hasSecret"] and connector["signIn"] == "basic", connector
    browser.click(".button", "Check")
    browser.click("dialog .button.primary")
    browser.sees("It does not work:")
    browser.click(".button", "Fetch now")
    browser.click("dialog .button.primary")
    # The page shows the failure without a reload.
    browser.sees("Newest failures")
    browser.sees("Fails, is tried again")
    # A change of another field keeps the secret.
    browser.click(".button", "Edit")
    browser.fill("#field-period", "900")
    browser.click(".form .button.primary")
    browser.sees("900 s")
    assert server.send("GET", "/api/connectors/" + connector["id"])["hasSecret"]
    server.send("DELETE", "/api/connectors/" + connector["id"])
    # A forward is made in the same way.
    browser.go("/forwards/new")
    browser.fill("#field-name", "Metrics")
    select("format", "prometheus")
    browser.fill("#field-address", "https://metrics.invalid/write")
    browser.click(".form .button.primary")
    browser.until(lambda: browser.script("return /forwards.[0-9a-f-]{36}$/.test(location.pathname)"), "the forward")
    browser.sees("Prometheus (remote write)")
    [forward] = [one for one in server.send("GET", "/api/forwards")["data"] if one["name"] == "Metrics"]
    server.send("DELETE", "/api/forwards/" + forward["id"])
    # The page of the forward may ask for it once more.
    return [REFUSED]


@test
def driver_adds_a_phone_and_gets_its_key_once(browser):
    server = browser.stage.server
    browser.sign_in("driver")
    browser.click(".rail a", "My phone")
    browser.click(".button", "Add a phone")
    browser.fill("#field-name", "Jane's phone")
    browser.click(".check", "Store positions during journeys")
    browser.click(".form .button.primary")
    browser.sees("Shares its position")
    browser.sees("/api/phone-reports/owntracks")
    browser.click(".button", "New key")
    browser.click("dialog .button.primary")
    key = browser.element(".new-secret code").text
    assert key.startswith("fsp_"), key
    [phone] = [one for one in server.send("GET", "/api/phones")["data"] if one["name"] == "Jane's phone"]
    assert phone["sharesPosition"], phone
    browser.driver.refresh()
    browser.sees("Shares its position")
    assert key not in browser.text()
    server.send("DELETE", "/api/phones/" + phone["id"])
