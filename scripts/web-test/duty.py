"""Test of the hours of service of drivers, which a connector pulls from another program."""
import datetime
import http.server
import json
import threading

from stage import Browser, Stage
from suite import IGNORED, assert_no_barrier, route_of, test

# The pages that only this test can examine, because a connector makes their things.
EXAMINED = ["/duty-periods/:id"]
HOUR = datetime.timedelta(hours=1)


class Cloud(http.server.BaseHTTPRequestHandler):
    """Answers as Samsara does. It has one driver, with the log that `logs` contains."""

    logs = []

    def do_GET(self):
        drivers = [{"id": "88668", "name": "Susan Bob"}]
        path = self.path.split("?")[0]
        data = {"/fleet/drivers": drivers, "/fleet/hos/logs": [{"driver": drivers[0], "hosLogs": self.logs}]}.get(path, [])
        body = json.dumps({"data": data, "pagination": {"endCursor": "end", "hasNextPage": False}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def periods():
    """Two days in the fleet's time zone: work from 6 to 16 o'clock, with 7 hours of driving; the last rest has not ended."""
    today = datetime.datetime.now(datetime.timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
    found = []
    for day in (today - 48 * HOUR, today - 24 * HOUR):
        for status, begin, end in [("onDuty", 6, 7), ("driving", 7, 11), ("offDuty", 11, 12), ("driving", 12, 15), ("onDuty", 15, 16), ("sleeperBed", 16, 30)]:
            is_last = day != today - 48 * HOUR and status == "sleeperBed"
            found.append({"hosStatusType": status, "logStartTime": (day + begin * HOUR).strftime("%Y-%m-%dT%H:%M:%SZ"), **({} if is_last else {"logEndTime": (day + end * HOUR).strftime("%Y-%m-%dT%H:%M:%SZ")})})
    return found


@test
def hours_of_service_of_a_driver_are_shown_by_day(_):
    Cloud.logs = periods()
    cloud = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Cloud)
    threading.Thread(target=cloud.serve_forever, daemon=True).start()
    stage, own = None, None
    try:
        stage = Stage(configuration={"connectors": {"allowPrivate": True}})
        server = stage.server
        connector = server.send("POST", "/api/connectors", {
            "name": "Trucks", "service": "samsara", "address": f"http://127.0.0.1:{cloud.server_port}", "secret": "token", "isActive": True})
        server.send("POST", f"/api/connectors/{connector['id']}/pull")
        own = Browser(stage)
        own.until(lambda: len(server.send("GET", "/api/duty-periods")["data"]) == len(Cloud.logs), "the periods")
        [driver] = server.send("GET", "/api/drivers?q=Susan")["data"]
        server.send("PATCH", "/api/people/" + stage.accounts["admin"]["id"], {"timeZone": "UTC"}, headers={"If-Match": "*"})
        own.sign_in("admin")
        own.go("/drivers/" + driver["id"])
        own.sees("Hours of service")
        days = [day.text.split("\n") for day in own.all(".duty-days li")]
        assert len(days) == 7 and all("driving 7 h" in day[-1] and "on duty 9 h" in day[-1] for day in days[1:3]), days
        assert "nothing logged" in days[-1][-1], days
        # The widths of the bars are the hours.
        bars = own.script("return [...document.querySelectorAll('.duty-days li:nth-child(3) i.driving')].map(bar => bar.getBoundingClientRect().width / bar.parentElement.getBoundingClientRect().width * 24)")
        assert [round(width, 1) for width in sorted(bars)] == [3.0, 4.0], bars
        rows = [row.text for row in own.all(".duty tbody tr")]
        assert "Rest in the vehicle" in rows[0] and "still lasts" in rows[0] and "Driving" in rows[2] and "3 h" in rows[2], rows
        for width, dark in ((1440, False), (390, True)):
            own.shape(width, 900, dark)
            own.calm()
            own.snapshot(f"duty-{width}")
            assert own.script("return document.documentElement.scrollWidth <= innerWidth"), width
        assert_no_barrier(own)
        own.click(".duty header a")
        own.until(lambda: len(own.all("main tbody tr")) == len(Cloud.logs), "all periods")
        assert_no_barrier(own)
        own.click("main tbody .row-link")
        own.until(lambda: [route_of(own.driver.current_url)] == EXAMINED, "a period")
        own.element("main .facts")
        assert_no_barrier(own)
        # Nothing of this is shown for a driver without a log.
        other = server.send("GET", "/api/drivers?q=Jane")["data"][0]["id"]
        own.go("/drivers/" + other)
        own.sees("Jane Smith")
        own.calm()
        assert "Hours of service" not in own.text()
        own.script("localStorage.setItem('language', 'de')")
        server.send("PATCH", "/api/people/" + stage.accounts["admin"]["id"], {"locale": "de"}, headers={"If-Match": "*"})
        own.sign_in("admin")
        own.go("/drivers/" + driver["id"])
        own.sees("Lenk- und Dienstzeiten")
        own.until(lambda: "Lenken 7 h" in own.text() and "Dienst ohne Lenken" in own.text(), "the sums in German")
        troubles = own.troubles(IGNORED)
        assert not troubles, troubles
    finally:
        if own:
            own.close()
        if stage:
            stage.close()
        cloud.shutdown()
