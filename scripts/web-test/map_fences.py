"""Tests of fences that are drawn and edited on the map."""
import json
import subprocess

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from stage import ROOT
from suite import REFUSED, test


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
