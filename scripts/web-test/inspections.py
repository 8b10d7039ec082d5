"""Tests of inspections: on the phone, and in the workshop."""
from suite import REFUSED, test
from workshop import first


@test
def driver_inspects_without_a_network_and_the_workshop_certifies(browser):
    server = browser.stage.server
    browser.shape(390, 844, False)
    browser.sign_in("driver")
    browser.sees("KN-FL 101")
    browser.driver.execute_async_script("navigator.serviceWorker.ready.then(arguments[0])")
    browser.until(lambda: browser.script("return caches.keys().then(names => names.length)") == 1 and browser.script("return localStorage.getItem('checklists') !== null"), "the kept files")
    online = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.driver.execute_cdp_cmd("Network.enable", {})
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**online, "offline": True})
    browser.click(".button", "Before the trip")
    browser.sees("0 of 7 checked")
    for number in range(7):
        browser.click(f"#item-{number} label.{'defect' if number == 1 else 'ok'}")
    browser.click("form .button.primary")
    # Each fault is named, and leads to its place.
    browser.until(lambda: "say what is wrong" in browser.element(".summary").text and "Signature" in browser.element(".summary").text, "the faults")
    browser.fill("#note-1", "Right rear light is dark")
    browser.driver.refresh()
    # Closing the browser loses nothing.
    browser.sees("7 of 7 checked")
    assert browser.element("#note-1").get_attribute("value") == "Right rear light is dark"
    browser.fill("#signature", "Jane Smith")
    browser.click("form .button.primary")
    browser.sees("Waiting to be sent")
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", online)
    browser.script("dispatchEvent(new Event('online'))")
    browser.sees("Everything was sent")
    browser.gone("Waiting to be sent")
    [report] = server.send("GET", "/api/inspections?vehicle=VAN-001&sort=-at&limit=1")["data"]
    assert report["status"] == "signed" and report["signature"]["text"] == "Jane Smith" and report["intact"], report
    assert [item["result"] for item in report["items"]].count("defect") == 1, report
    browser.shape(1440, 900, False)
    browser.sign_in("maintenance")
    browser.go("/inspections/" + report["id"])
    browser.sees("Right rear light is dark")
    browser.click(".button", "Certify")
    browser.script("const field = document.getElementById('field-result'); field.value = 'repaired'; field.dispatchEvent(new Event('input', {bubbles: true}))")
    browser.fill("dialog #field-notes", "Bulb replaced")
    browser.click("dialog .button.primary")
    browser.sees("The defects are repaired")
    # The next driver reads the report before the trip.
    browser.sign_in("driver")
    browser.click(".links a", "Before the trip")
    browser.click(".button", "I have read it")
    browser.click("dialog .button.primary")
    browser.sees("Read by the next driver")
    assert server.send("GET", "/api/inspections/" + report["id"])["status"] == "reviewed"
    return [REFUSED, "net::ERR_INTERNET_DISCONNECTED", "WebSocket"]


@test
def driver_signs_with_a_finger_and_the_report_shows_it(browser):
    from selenium.webdriver.common.action_chains import ActionChains
    server = browser.stage.server
    browser.shape(390, 844, False)
    browser.sign_in("driver")
    browser.go("/inspections/new?vehicleId=VAN-001&kind=preTrip")
    browser.sees("0 of 7 checked")
    for number in range(7):
        browser.click(f"#item-{number} label.ok")
    browser.fill("#signature", "Jane Smith")
    pad = browser.element(".signature-pad svg")
    browser.script("arguments[0].scrollIntoView({block: 'center'})", pad)
    ActionChains(browser.driver).move_to_element_with_offset(pad, -80, 0).click_and_hold().move_by_offset(40, -20).move_by_offset(40, 25).release().move_by_offset(30, 0).click().perform()
    browser.until(lambda: len(browser.all(".signature-pad svg path:not(.line)")) == 2, "two strokes")
    # Closing the browser loses nothing.
    browser.driver.refresh()
    browser.until(lambda: len(browser.all(".signature-pad svg path:not(.line)")) == 2, "the strokes again")
    # A drawing that went wrong is drawn again.
    browser.click(".button", "Clear the drawing")
    pad = browser.element(".signature-pad svg")
    browser.script("arguments[0].scrollIntoView({block: 'center'})", pad)
    ActionChains(browser.driver).move_to_element_with_offset(pad, -60, 10).click_and_hold().move_by_offset(60, -30).move_by_offset(40, 25).release().perform()
    browser.until(lambda: len(browser.all(".signature-pad svg path:not(.line)")) == 1, "one stroke")
    browser.click("form .button.primary")
    browser.until(lambda: browser.script("return location.pathname") == "/mine", "the signed inspection")
    # The report follows its drawing, which may still be on its way.
    newest = lambda: first(browser.stage, "/api/inspections?vehicle=VAN-001&kind=preTrip&sort=-createdAt")
    browser.until(lambda: newest()["status"] == "signed" and newest()["items"][-1]["item"] == "signature", "the signed report")
    report = newest()
    [drawing] = report["items"][-1]["photos"]
    assert report["intact"] and report["signature"]["text"] == "Jane Smith" and not report["hasDefects"], report
    assert server.send("GET", "/api/files/" + drawing)["mediaType"] == "image/png"
    browser.go("/inspections/" + report["id"])
    browser.until(lambda: browser.script("return document.querySelector('.drawn')?.naturalWidth") == 1000, "the picture")
    # It is no item of the checklist, also not of a correction.
    assert len(browser.all(".checked li")) == 7
    browser.click(".button", "Correct")
    browser.sees("7 of 7 checked")
    browser.click(".button", "Discard")
    browser.click("dialog .danger-fill")
    browser.shape(1440, 900, False)


@test
def inspection_is_done_with_the_keyboard_alone_and_corrected_later(browser):
    from selenium.webdriver.common.keys import Keys
    server = browser.stage.server
    browser.sign_in("driver")
    browser.go("/inspections/new?vehicleId=VAN-001&kind=postTrip")
    browser.sees("0 of 7 checked")
    for number in range(7):
        browser.all(f"#item-{number} input")[0].send_keys(Keys.SPACE)
    browser.sees("7 of 7 checked")
    browser.element("#signature").send_keys("Jane Smith", Keys.ENTER)
    browser.until(lambda: browser.script("return location.pathname") == "/mine", "the signed inspection")
    [report] = server.send("GET", "/api/inspections?vehicle=VAN-001&kind=postTrip")["data"]
    browser.go("/inspections/" + report["id"])
    browser.click(".button", "Correct")
    browser.sees("7 of 7 checked")
    browser.all("#item-0 .defect input")[0].send_keys(Keys.SPACE)
    browser.fill("#note-0", "Cut in the left front tyre")
    browser.element("#signature").send_keys("Jane Smith", Keys.ENTER)
    browser.until(lambda: browser.script("return location.pathname") == "/mine", "the signed inspection")
    [newer] = server.send("GET", "/api/inspections?supersedes=" + report["id"])["data"]
    assert newer["hasDefects"] and newer["status"] == "signed", newer
    browser.go("/inspections/" + report["id"])
    browser.sees("This report was corrected by a newer one")


# Answers of the server, as a network or a server with a problem would give them: `mode` is `offline` or `refuse`.
PROBLEMS = """
    const real = window.fetch;
    window.mode = arguments[0];
    window.fetch = async (...given) => {
      const [address, {method} = {}] = given, isOfReport = String(address).startsWith("/api/inspections/") && method !== "GET";
      if (isOfReport && window.mode === "offline") throw new TypeError("no network");
      if (isOfReport && window.mode === "refuse" && method === "PUT")
        return new Response(JSON.stringify({error: {code: "invalid", message: "the vehicle is gone"}}), {status: 400, headers: {"Content-Type": "application/json"}});
      const answer = await real(...given);
      if (isOfReport && window.mode === "lost" && String(address).endsWith("/sign")) {
        window.mode = "";
        throw new TypeError("the answer was lost");
      }
      return answer;
    };"""


def inspect(browser, kind):
    browser.go(f"/inspections/new?vehicleId=VAN-001&kind={kind}")
    browser.sees("0 of 7 checked")
    for number in range(7):
        browser.click(f"#item-{number} label.ok")
    browser.fill("#signature", "Jane Smith")
    browser.click("form .button.primary")


@test
def signature_whose_answer_was_lost_is_stored_once(browser):
    browser.sign_in("driver")
    browser.script(PROBLEMS, "lost")
    inspect(browser, "postTrip")
    browser.sees("Everything was sent")
    browser.gone("Waiting to be sent")
    report = first(browser.stage, "/api/inspections?vehicle=VAN-001&kind=postTrip&sort=-at")
    assert report["status"] == "signed", report
    return [REFUSED]


@test
def commands_wait_for_a_report_that_was_not_accepted_and_leave_with_it(browser):
    browser.sign_in("driver")
    browser.script(PROBLEMS, "offline")
    inspect(browser, "postTrip")
    browser.sees("Waiting to be sent")
    browser.script("window.mode = 'refuse'; dispatchEvent(new Event('online'))")
    browser.sees("the vehicle is gone")
    # The signature of the report is not sent without it.
    rows = [row.text for row in browser.all(".links li") if "Signature of the inspection" in row.text]
    assert len(rows) == 1 and "waits" in rows[0], rows
    browser.click(".links .button", "Remove")
    browser.gone("Waiting to be sent")
    browser.gone("Signature of the inspection")
