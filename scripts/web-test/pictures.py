"""Tests of photos of vehicles, and of values that are read from photos."""
import subprocess

from suite import assert_no_barrier, test

# Draws a photo with Python's imaging library, as the tests of the image helper do.
DRAWING = """
import sys
from PIL import Image, ImageDraw, ImageFilter, ImageFont
kind, path, text = sys.argv[1:4]
image = Image.new("RGB", (1600, 1000), "#ddd")
draw = ImageDraw.Draw(image)
def font(size):
    return ImageFont.truetype("/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf", size)
SEGMENTS = ["abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abcdfg"]
def segments(x, y, height, digits):
    w, t, m = height / 2, height / 9, y + height / 2
    for digit in digits:
        places = {"a": (x + t, y, x + w - t, y + t), "g": (x + t, m - t / 2, x + w - t, m + t / 2),
                  "d": (x + t, y + height - t, x + w - t, y + height), "f": (x, y + t, x + t, m - t / 4),
                  "b": (x + w - t, y + t, x + w, m - t / 4), "e": (x, m + t / 4, x + t, y + height - t),
                  "c": (x + w - t, m + t / 4, x + w, y + height - t)}
        for segment in SEGMENTS[int(digit)]:
            draw.rectangle(places[segment], fill="black")
        x += w * 1.35
if kind == "vin":
    draw.text((150, 300), text, font=font(70), fill="black")
elif kind == "odometer":
    draw.text((420, 250), "ODO", font=font(40), fill="black")
    segments(420, 320, 140, text)
    draw.text((1060, 400), "km", font=font(60), fill="black")
    draw.text((420, 560), "TRIP 123.4", font=font(50), fill="black")
elif kind == "van":
    image.paste(text, (0, 0, 1600, 1000))
    draw.rectangle((0, 760, 1600, 1000), fill="#6b6f76")
    draw.rounded_rectangle((220, 330, 1360, 800), 60, fill="#f4f6f8")
    draw.polygon([(980, 360), (1180, 360), (1290, 540), (980, 540)], fill="#39424f")
    for x in (470, 1110):
        draw.ellipse((x - 95, 705, x + 95, 895), fill="#20242b")
        draw.ellipse((x - 45, 755, x + 45, 845), fill="#b9c0c9")
image.rotate(2, fillcolor="#ddd", resample=3).filter(ImageFilter.GaussianBlur(1)).save(path, "JPEG", quality=85)
"""


def photo(stage_, kind, text):
    path = f"{stage_.folder}/{kind}-{text.strip('#')}.jpg"
    subprocess.run(["/usr/bin/python3", "-c", DRAWING, kind, path, text], check=True)
    return path


def pictured(browser, selector, width=320):
    """Waits for a picture that is loaded."""
    browser.until(lambda: browser.script(f"return document.querySelector({selector!r})?.naturalWidth") == width, f"the picture {selector}")


@test
def photo_of_a_vehicle_is_shown_on_its_page_and_in_the_list(browser):
    server = browser.stage.server
    browser.sign_in("admin")
    browser.go("/vehicles/VAN-007/edit")
    browser.element("#field-make")
    browser.all("#field-photoId")[0].send_keys(photo(browser.stage, "van", "#8fb7d9"))
    browser.element(".files .name", "van-8fb7d9.jpg")
    # A second photo replaces the first one.
    browser.all("#field-photoId")[0].send_keys(photo(browser.stage, "van", "#a9c78f"))
    browser.until(lambda: [one.text for one in browser.all(".files .name")] == ["van-a9c78f.jpg"], "the second photo alone")
    browser.click(".form > .actions .button.primary")
    browser.sees("Saved")
    pictured(browser, ".vehicle-photo img")
    for width in (390, 1440):
        browser.shape(width, 900, False)
        browser.settled()
        browser.snapshot(f"photo-vehicle-{width}")
    assert browser.element(".vehicle-photo img").get_attribute("alt") == "Photo of VAN-007"
    first = server.send("GET", "/api/vehicles/VAN-007")["photoId"]
    assert server.send("GET", "/api/files/" + first)["name"] == "van-a9c78f.jpg"
    browser.go("/vehicles")
    browser.until(lambda: len(browser.all("td .picture")) > 3, "the places of photos")
    pictured(browser, "td .picture img")
    assert len(browser.all("td .picture img")) == 1
    browser.snapshot("photo-list-1440")
    browser.sign_in("viewer")
    browser.go("/vehicles/VAN-007")
    pictured(browser, ".vehicle-photo img")
    # The photo is removed from the vehicle.
    browser.sign_in("admin")
    browser.go("/vehicles/VAN-007/edit")
    browser.click("[aria-label='Remove: Photo']")
    browser.until(lambda: not browser.all(".files .name"), "no photo in the form")
    browser.click(".form > .actions .button.primary")
    browser.sees("Saved")
    browser.until(lambda: server.send("GET", "/api/vehicles/VAN-007").get("photoId") is None, "no photo")
    assert not browser.all(".vehicle-photo")


@test
def vin_is_read_from_a_photo_and_the_person_decides(browser):
    vin = "1M8GDM9AXKP042788"
    browser.sign_in("admin")
    browser.go("/vehicles/TRUCK-012/edit")
    field = browser.element("#field-vin")
    before = field.get_attribute("value")
    assert before != vin
    browser.all("#field-vin-photo")[0].send_keys(photo(browser.stage, "vin", vin))
    browser.until(lambda: vin in browser.element(".photo-reading").text, "the proposal")
    pictured(browser, ".photo-reading img", 1600)
    browser.snapshot("photo-vin-1440")
    assert_no_barrier(browser)
    # Nothing is entered before the person decides; the frame is around the text.
    assert browser.element("#field-vin").get_attribute("value") == before
    box = browser.script("""
        const image = document.querySelector('.photo-reading img').getBoundingClientRect(), frame = document.querySelector('.photo-reading figure i').getBoundingClientRect();
        return [(frame.left - image.left) / image.width, (frame.top - image.top) / image.height, frame.width / image.width, frame.height / image.height];""")
    assert 0.05 < box[0] < 0.15 and 0.2 < box[1] < 0.4 and 0.4 < box[2] < 0.65 and box[3] < 0.2, box
    browser.click(".photo-reading .button", "Do not use it")
    browser.until(lambda: not browser.all(".photo-reading"), "no proposal")
    assert browser.element("#field-vin").get_attribute("value") == before
    assert browser.script("return document.activeElement.id") == "field-vin"
    browser.all("#field-vin-photo")[0].send_keys(photo(browser.stage, "vin", vin))
    browser.click(".photo-reading .button", "Use this value")
    browser.until(lambda: browser.element("#field-vin").get_attribute("value") == vin, "the VIN in the form")
    assert browser.stage.server.send("GET", "/api/vehicles/TRUCK-012").get("vin") != vin
    browser.click(".form > .actions .button", "Cancel")
    # A photo without a VIN is no guess.
    browser.go("/vehicles/TRUCK-012/edit")
    browser.element("#field-vin")
    browser.all("#field-vin-photo")[0].send_keys(photo(browser.stage, "van", "#8fb7d9"))
    browser.until(lambda: "No VIN can be read reliably" in browser.element(".photo-reading").text, "no proposal")
    browser.click(".photo-reading .button", "Close")
    # The server keeps none of these photos.
    browser.until(lambda: not [file for file in browser.stage.server.send("GET", "/api/files?limit=1000")["data"] if file["name"].startswith("vin-")], "no photo on the server")


@test
def odometer_is_read_from_a_photo_with_its_unit(browser):
    browser.shape(390, 844, False)
    browser.sign_in("maintenance")
    browser.go("/meter-readings/new?vehicleId=TRUCK-012")
    browser.element("#field-odometer")
    browser.all("#field-odometer-photo")[0].send_keys(photo(browser.stage, "odometer", "153661"))
    browser.until(lambda: "153,661 km" in browser.element(".photo-reading").text, "the proposal")
    pictured(browser, ".photo-reading img", 1600)
    browser.snapshot("photo-odometer-390")
    assert browser.script("return document.documentElement.scrollWidth <= innerWidth")
    assert_no_barrier(browser)
    browser.click(".photo-reading .button", "Use this value")
    browser.until(lambda: browser.element("#field-odometer").get_attribute("value") == "153661 km", "the odometer in the form")
    browser.click(".form > .actions .button", "Cancel")
    browser.shape(1440, 900, False)
