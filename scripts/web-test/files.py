"""Tests of photos and other files: uploads that continue, also without a network, and how files are shown."""
import hashlib
import os
import struct
import zlib

from suite import test


def png(path, colour):
    """Writes a picture of one colour."""
    def part(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = (b"\0" + bytes(colour) * 64) * 64
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0)) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b""))
    return path


def stored(stage_, file):
    """The SHA-256 of a file, as the server has computed it."""
    return stage_.server.send("GET", "/api/files/" + file)["sha256"]


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


@test
def photo_of_a_defect_is_sent_and_shown(browser):
    path = png(browser.stage.folder + "/mirror.png", (200, 40, 40))
    browser.sign_in("driver")
    browser.click(".button", "Report a defect")
    browser.fill("#field-text", "Mirror is cracked")
    browser.all("#field-photos")[0].send_keys(path)
    browser.element(".files .name", "mirror.png")
    browser.click(".form .button.primary")
    browser.sees("Mirror is cracked")
    browser.click(".links a", "Mirror is cracked")
    browser.element(".files .name", "mirror.png")
    [defect] = browser.stage.server.send("GET", "/api/defects?q=mirror")["data"]
    assert len(defect["photos"]) == 1 and stored(browser.stage, defect["photos"][0]) == digest(path), defect
    browser.stage.server.send("POST", f"/api/defects/{defect['id']}/dismiss", {"reason": "test"})


@test
def photo_of_an_inspection_survives_closing_the_browser_without_a_network(browser):
    server, path = browser.stage.server, png(browser.stage.folder + "/tyre.png", (20, 20, 20))
    browser.sign_in("driver")
    browser.sees("KN-FL 101")
    browser.driver.execute_async_script("navigator.serviceWorker.ready.then(arguments[0])")
    browser.until(lambda: browser.script("return localStorage.getItem('checklists') !== null"), "the checklists")
    online = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.driver.execute_cdp_cmd("Network.enable", {})
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**online, "offline": True})
    browser.go("/inspections/new?vehicleId=VAN-001&kind=preTrip")
    browser.sees("0 of 7 checked")
    for number in range(7):
        browser.click(f"#item-{number} label.{'defect' if number == 0 else 'ok'}")
    browser.fill("#note-0", "Nail in the tyre")
    browser.all("#photos-0")[0].send_keys(path)
    browser.element(".files .name", "tyre.png")
    browser.driver.refresh()
    browser.element(".files .name", "tyre.png")
    browser.until(lambda: browser.script("return document.querySelector('.files img')?.naturalWidth") == 64, "the picture")
    browser.fill("#signature", "Jane Smith")
    browser.click("form .button.primary")
    browser.sees("Waiting to be sent")
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", online)
    browser.script("dispatchEvent(new Event('online'))")
    browser.sees("Everything was sent")
    browser.gone("Waiting to be sent")
    [report] = server.send("GET", "/api/inspections?vehicle=VAN-001&sort=-at&limit=1")["data"]
    [photo] = report["items"][0]["photos"]
    assert report["status"] == "signed" and stored(browser.stage, photo) == digest(path), report
    return ["Failed to load resource", "net::ERR_INTERNET_DISCONNECTED", "WebSocket"]


@test
def upload_continues_where_it_was_interrupted(browser):
    path = browser.stage.folder + "/policy.pdf"
    with open(path, "wb") as file:
        file.write(b"%PDF-1.7\n" + os.urandom(1_300_000))
    browser.sign_in("maintenance")
    browser.go("/documents/new?of.id=VAN-007")
    browser.element("#field-kind")
    browser.script("""
        const real = window.fetch;
        window.offsets = [];
        window.fetch = (...given) => {
          const offset = given[1]?.headers?.["Upload-Offset"];
          if (offset !== undefined) window.offsets.push(Number(offset));
          if (window.offsets.length === 2) throw new TypeError("no network");
          return real(...given);
        };""")
    browser.script("const field = document.getElementById('field-kind'); field.value = 'insurance'; field.dispatchEvent(new Event('input', {bubbles: true}))")
    browser.all("#field-fileIds")[0].send_keys(path)
    browser.element(".files .name", "policy.pdf")
    browser.until(lambda: browser.script("return window.offsets.length") == 2, "the interruption")
    browser.script("window.offsets.push(-1); dispatchEvent(new Event('online'))")
    browser.until(lambda: browser.script("return window.offsets.at(-1)") == 1_048_576, "the rest")
    browser.click(".form .button.primary")
    browser.element(".title h1", "Insurance")
    assert browser.script("return window.offsets") == [0, 524_288, -1, 524_288, 1_048_576]
    browser.element(".files .name", "policy.pdf")
    [document] = browser.stage.server.send("GET", "/api/documents?vehicle=VAN-007&kind=insurance")["data"]
    assert stored(browser.stage, document["fileIds"][0]) == digest(path), document
    browser.stage.server.send("PATCH", "/api/documents/" + document["id"], {"kind": "other"}, headers={"If-Match": "*"})
