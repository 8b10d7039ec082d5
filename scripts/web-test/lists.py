"""Tests of long lists, and of the names that lists show."""
from selenium.webdriver.common.keys import Keys

from changes import change, imported, is_live, watched
from suite import REFUSED, assert_no_barrier, cut_states, test


def requests(browser, path):
    """The requests of the page to a path of the API, without those of one thing."""
    return [name.removeprefix(browser.stage.address) for name in browser.script(
        "return performance.getEntriesByType('resource').map(entry => entry.name)") if name.removeprefix(browser.stage.address).split("?")[0].startswith(path)]


@test
def names_of_a_list_need_one_request_of_each_kind(browser):
    server = browser.stage.server
    server.send("PUT", "/api/vehicles/GONE-1", {"make": "Seat"}, headers={"If-None-Match": "*"})
    driver = server.send("POST", "/api/drivers", {"name": "Vera Novak"})["id"]
    expense = server.send("POST", "/api/expenses", {"category": "wash", "at": "2026-10-01T08:00:00Z", "vehicleId": "GONE-1", "driverId": driver, "amount": {"amount": "9.00", "currency": "EUR"}})
    server.send("DELETE", "/api/vehicles/GONE-1")
    browser.sign_in("admin")
    # A page that was just loaded knows no names.
    for path in ("/expenses", "/journeys"):
        browser.open(path)
        browser.calm()
        browser.until(lambda: len(browser.all("main tbody tr")) > 1 and "…" not in browser.element("main table").text, "all names")
        if path == "/expenses":
            browser.sees("Vera Novak")
            # A vehicle that no longer exists keeps its id, without a failed request.
            browser.sees("GONE-1")
        for kind in ("vehicles", "drivers"):
            found = requests(browser, "/api/" + kind)
            assert len(found) == 1 and f"/api/{kind}?id=" in found[0], (path, found)
    # Names that the account may not see are not asked for.
    browser.sign_in("driver")
    browser.open("/assignments")
    browser.calm()
    browser.sees("VAN-001")
    assert not [name for name in requests(browser, "/api/drivers") if "id=" not in name], "single requests"
    server.send("PATCH", "/api/expenses/" + expense["id"], {"void": True}, headers={"If-Match": "*"})


@test
def vehicle_is_shown_with_its_name_and_its_id(browser):
    server = browser.stage.server
    server.send("PUT", "/api/vehicles/NAME-1", {"name": "Blue crane lorry", "make": "Iveco"}, headers={"If-None-Match": "*"})
    server.send("POST", "/api/defects", {"vehicleId": "NAME-1", "severity": "unsafe", "text": "The boom drops"})
    expense = server.send("POST", "/api/expenses", {"category": "wash", "at": "2026-10-01T08:00:00Z", "vehicleId": "NAME-1", "amount": {"amount": "9.00", "currency": "EUR"}})

    def shows(selector, *texts):
        return browser.until(lambda: any(all(text in one.text for text in texts) for one in browser.all(selector)), f"{selector} with {texts}")

    browser.sign_in("admin")
    for path, selector in [("/vehicles?q=crane", "main tbody tr"), ("/expenses", "main tbody tr"), ("/expenses/" + expense["id"], ".facts"), ("/assignments/calendar", "main tbody th"),
                           ("/maintenance", "main .links li"), ("/live?vehicle=NAME-1", ".rows li"), ("/live?vehicle=NAME-1", ".peek")]:
        browser.go(path)
        browser.calm()
        shows(selector, "Blue crane lorry", "NAME-1")
    # A vehicle without a name has its id once.
    browser.go("/vehicles?q=VAN-014")
    browser.sees("VAN-014")
    assert browser.element("main .row-link").text == "VAN-014"
    # It is chosen by a part of its name, and its id remains visible.
    browser.go("/expenses/new")
    field = browser.element("#field-vehicleId")
    field.send_keys("crane")
    browser.until(lambda: len(browser.all(".combo [role=option]")) == 1, "the only vehicle with this name")
    shows(".combo [role=option]", "Blue crane lorry", "NAME-1")
    field.send_keys(Keys.ENTER)
    browser.until(lambda: browser.element("#field-vehicleId").get_attribute("value") == "Blue crane lorry (NAME-1)", "the choice")
    browser.click(".form > .actions .button", "Cancel")
    browser.fill("#search", "crane")
    shows(".results li", "Blue crane lorry", "NAME-1")
    browser.go("/vehicles?q=crane")
    shows("main tbody tr", "Blue crane lorry", "NAME-1")
    assert_no_barrier(browser)
    server.send("PATCH", "/api/expenses/" + expense["id"], {"void": True}, headers={"If-Match": "*"})
    browser.go("/fences")
    browser.calm()
    server.send("DELETE", "/api/vehicles/NAME-1")
    return [REFUSED]


@test
def states_are_not_cut_in_german(browser):
    server = browser.stage.server
    driver = server.send("GET", "/api/drivers?q=Omar")["data"][0]["id"]
    report = server.send("POST", "/api/inspections", {"vehicleId": "TRUCK-012", "driverId": driver, "kind": "postTrip", "items": [{"item": "horn", "result": "defect", "note": "silent"}]})["id"]
    server.send("POST", f"/api/inspections/{report}/sign", {"signature": "Omar Haddad"})
    browser.open("/sign-in")
    browser.script("localStorage.setItem('language', 'de')")
    try:
        browser.sign_in("admin")
        for path, text in [("/vehicles", "Zugeteilt"), ("/drivers", "Führerschein abgelaufen"), ("/inspections", "Unterschrieben, mit Mängeln"), ("/defects", "Offen"), ("/service-schedules", "Bald fällig"),
                           ("/maintenance-records", "Geplant"), ("/documents", "Tage"), ("/assignments", "Aktiv"), ("/assignments/calendar?used=true", ""), ("/journeys", ""), ("/maintenance", ""), ("/fleet", "")]:
            browser.go(path)
            browser.calm()
            for width in (390, 820, 1440):
                browser.shape(width, 900, False)
                browser.until(lambda: text in " ".join(browser.text().split()), text)
                cut = cut_states(browser)
                assert not cut, (path, width, cut)
        # All names in the navigation are whole on a phone.
        browser.shape(390, 844, False)
        browser.click(".rail .more")
        cut = browser.script("return [...document.querySelectorAll('.rail a span')].filter(name => name.scrollWidth > name.parentElement.clientWidth).map(name => name.innerText)")
        assert not cut, cut
    finally:
        browser.shape(1440, 900, False)
        browser.script("localStorage.setItem('language', 'en')")
        for defect in server.send("GET", "/api/defects?vehicle=TRUCK-012&status=open")["data"]:
            server.send("POST", f"/api/defects/{defect['id']}/dismiss", {"reason": "test"})


@test
def fill_has_the_price_of_a_unit_in_the_unit_of_the_person(browser):
    server, person = browser.stage.server, "/api/people/" + browser.stage.accounts["admin"]["id"]
    server.send("PUT", "/api/vehicles/FUEL-1", {"make": "Seat"}, headers={"If-None-Match": "*"})
    money = lambda amount: {"amount": amount, "currency": "EUR"}
    fills = [server.send("POST", "/api/fuel-entries", {"vehicleId": "FUEL-1", "at": f"2026-10-0{number + 1}T08:00:00Z", "energy": "diesel", **values})["id"] for number, values in enumerate([
        {"quantity": 40, "unit": "L", "price": money("1.619")}, {"quantity": 10, "unit": "usGallon", "total": money("60.00")},
        {"quantity": 20, "unit": "L", "price": money("1.5"), "total": money("29.90")}])]

    def row(fill):
        return browser.element(f"tr[data-thing='{fill}']").text.replace("\xa0", " ")

    # An amount that nobody has entered has the sign; the others are as they were entered.
    for units, expected in [("metric", [("€1.619/L", "≈ €64.76"), ("≈ €1.585/L", "€60.00"), ("€1.50/L", "€29.90")]),
                            ("imperial", [("€6.129/gal (€1.619/L)", "≈ €64.76"), ("≈ €6.00/gal", "€60.00"), ("€5.678/gal (€1.50/L)", "€29.90")])]:
        server.send("PATCH", person, {"units": units}, headers={"If-Match": "*"})
        browser.sign_in("admin")
        browser.go("/fuel-entries?vehicleId=FUEL-1")
        for fill, texts in zip(fills, expected):
            browser.until(lambda: all(text in row(fill) for text in texts), f"{texts} for {units} units")
        assert "≈" not in row(fills[2]) and row(fills[0]).count("≈") == 1, (row(fills[0]), row(fills[2]))
    server.send("PATCH", person, {"units": "metric"}, headers={"If-Match": "*"})
    browser.sign_in("admin")
    for fill, text in [(fills[0], "computed from the price"), (fills[1], "computed from the total")]:
        browser.go("/fuel-entries/" + fill)
        browser.until(lambda: text in browser.element(".facts").text, text)
    assert_no_barrier(browser)
    # The price is corrected.
    browser.go(f"/fuel-entries/{fills[0]}/edit")
    browser.fill("#field-price", "1.629")
    browser.click(".form > .actions .button.primary")
    browser.sees("€1.629/L")
    assert server.send("GET", "/api/fuel-entries/" + fills[0])["price"] == money("1.629")
    for fill in fills:
        server.send("PATCH", "/api/fuel-entries/" + fill, {"void": True}, headers={"If-Match": "*"})
    server.send("DELETE", "/api/vehicles/FUEL-1")
    return [REFUSED]


@test
def change_of_an_entry_of_a_long_list_loads_only_this_entry(browser):
    server = browser.stage.server
    with imported(server, "WIDE-", 300), watched(browser):
        browser.sign_in("admin")

        def opened(path):
            browser.open(path)
            browser.sees("WIDE-000")
            browser.until(lambda: is_live(browser), "the connection")
            browser.script("document.querySelector('main').scrollTo(0, 1e9)")
            browser.until(lambda: browser.script("return document.querySelector('main table')?.getAttribute('aria-rowcount')") == "301", "all rows")
            browser.script("document.querySelector('main').scrollTo(0, 0)")

        def seen(vehicle, text):
            browser.until(lambda: browser.script("return document.querySelector(arguments[0])?.innerText.includes(arguments[1])", f"tr[data-thing='{vehicle}']", text), f"{text} of {vehicle}")

        opened("/vehicles?q=WIDE-")
        change(server, "/api/vehicles/WIDE-001", {"make": "Opel"})
        seen("WIDE-001", "Opel")
        # What the page loaded when its connection began has arrived.
        browser.script("window.asked.length = 0")
        change(server, "/api/vehicles/WIDE-002", {"make": "Seat"})
        seen("WIDE-002", "Seat")
        lists = [path for path in browser.script("return window.asked") if path.startswith("/api/vehicles?")]
        assert lists and all("&id=WIDE-00" in path for path in lists), lists
        # An entry that moves, or no longer belongs to the list, changes the whole list.
        opened("/vehicles?q=WIDE-&sort=make")
        change(server, "/api/vehicles/WIDE-150", {"make": "Audi"})
        browser.until(lambda: browser.script("return document.querySelector('main tr[data-thing]')?.dataset.thing") == "WIDE-150", "the entry at its new place")
        opened("/vehicles?q=WIDE-&status=available")
        server.send("POST", "/api/vehicles/WIDE-003/deactivate")
        browser.until(lambda: not browser.all("tr[data-thing='WIDE-003']") and browser.all("tr[data-thing='WIDE-002']"), "the list without the vehicle")
        browser.go("/fences")
        browser.calm()


@test
def long_list_draws_only_the_rows_near_the_visible_ones(browser):
    server, count = browser.stage.server, 730
    rows = "".join(f"ROW-{number:04d},Ford,Transit\n" for number in range(count))
    server.send("POST", "/api/imports?kind=vehicles", ("id,make,model\n" + rows).encode(), headers={"Content-Type": "text/csv"})
    try:
        look_at(browser, count)
    finally:
        for number in range(count):
            server.send("DELETE", f"/api/vehicles/ROW-{number:04d}")


def look_at(browser, count):
    browser.sign_in("admin")
    browser.go("/vehicles?q=ROW-")
    browser.sees("ROW-0000")
    widths = browser.script("return [...document.querySelectorAll('main thead th')].map(cell => cell.offsetWidth)")
    browser.driver.execute_async_script("""
        const [done] = arguments;
        (function step() {
          document.querySelector('main').scrollBy(0, innerHeight * 0.8);
          if (document.querySelector('main table').innerText.includes('ROW-0729')) done(); else requestAnimationFrame(step);
        })();""")
    drawn = browser.script("return document.querySelectorAll('main tbody tr:not([aria-hidden])').length")
    assert drawn < 300, drawn
    assert browser.script("return [document.querySelector('main table').getAttribute('aria-rowcount'), [...document.querySelectorAll('main tbody tr')].find(row => row.innerText.includes('ROW-0729')).getAttribute('aria-rowindex')]") == [str(count + 1), str(count + 1)]
    # Columns do not move, and rows in between are drawn when they are reached.
    now = browser.script("return [...document.querySelectorAll('main thead th')].map(cell => cell.offsetWidth)")
    assert all(abs(one - other) <= 24 for one, other in zip(widths, now)), (widths, now)
    browser.script("const main = document.querySelector('main'); main.scrollTo(0, main.scrollHeight / 2)")
    middle = "const box = [...document.querySelectorAll('main tbody tr:not([aria-hidden])')].find(row => { const place = row.getBoundingClientRect(); return place.top < innerHeight / 2 && place.bottom >= innerHeight / 2 - 1; }); return box?.innerText.split(/\\s/).find(text => text.startsWith('ROW-'))"
    browser.until(lambda: abs(int((browser.script(middle) or "ROW-0")[4:]) - count / 2) < 40, "the rows in the middle")
    # A row that is chosen stays chosen while it is not drawn.
    browser.script("document.querySelector('main').scrollTo(0, 0)")
    browser.sees("ROW-0001")
    browser.click("td.tick input", "Choose ROW-0001")
    browser.sees("1 chosen")
    # A row with the focus would stay.
    browser.script("document.activeElement.blur()")
    browser.script("const main = document.querySelector('main'); main.scrollTo(0, main.scrollHeight)")
    browser.until(lambda: "ROW-0729" in browser.text() and "ROW-0001" not in browser.text(), "the end")
    browser.script("document.querySelector('main').scrollTo(0, 0)")
    browser.until(lambda: browser.all("main tr.picked"), "the chosen row")
    assert "ROW-0001" in browser.element("main tr.picked").text
