#!/usr/bin/env python3
"""A fleet of five simulated cars, for `make run`, and for the tests and screenshots of the web app.

    scripts/demo.py prepare FOLDER ADDRESS    accounts, vehicles, and the trips of the last hours
    scripts/demo.py receivers FOLDER          a satellite receiver for each car, until SIGTERM

FOLDER has the administrator's token in `administrator`. `prepare` writes into it the files of each car (key, scenario,
configuration of the daemon), and `demo`, the address that signs in with one click. All secrets are made at each start.
"""
import base64
import datetime
import json
import math
import os
import random
import secrets
import select
import subprocess
import sys
import termios
import time
import tty
import urllib.error
import urllib.request
import uuid

# The centre of the streets: Konstanz at Lake Constance.
CENTRE = (47.667, 9.170)
CARS = [
    {"id": "VAN-001", "vin": "WF0XXXTTGXFA00017", "make": "Ford", "model": "Transit", "modelYear": 2022, "licencePlate": "KN-FL 101",
     "type": "van", "fuelType": "diesel", "tankCapacity": 70, "driver": "Jane Smith"},
    {"id": "VAN-007", "vin": "WV1ZZZ7HZ8H000024", "make": "Volkswagen", "model": "Transporter", "modelYear": 2021, "licencePlate": "KN-FL 107",
     "type": "van", "fuelType": "diesel", "tankCapacity": 70, "driver": "Lena Vogt"},
    {"id": "CAR-003", "vin": "WBAPH5C55BA000031", "make": "BMW", "model": "320i", "modelYear": 2019, "licencePlate": "KN-FL 203",
     "type": "car", "fuelType": "petrol", "tankCapacity": 59, "driver": "Mia Roth"},
    {"id": "TRUCK-012", "vin": "WDB96340310000048", "make": "Mercedes-Benz", "model": "Actros", "modelYear": 2020, "licencePlate": "KN-FL 312",
     "type": "truck", "fuelType": "diesel", "tankCapacity": 400, "driver": "Omar Haddad"},
    {"id": "VAN-014", "vin": "VF1FL000000000055", "make": "Renault", "model": "Trafic", "modelYear": 2018, "licencePlate": "KN-FL 114",
     "type": "van", "fuelType": "diesel", "tankCapacity": 80, "driver": None},
]
PEOPLE = {
    "admin": ("Ida", "Berg", "ida@fleet.example"), "maintenance": ("Tom", "Arendt", "tom@fleet.example"),
    "driver": ("Jane", "Smith", "jane@fleet.example"), "viewer": ("Vera", "Lund", "vera@fleet.example"),
}
# The phases of a drive that is repeated; cars begin at different places of it. Speeds in km/h.
PHASES = [
    ("idle", 12, 0), ("accelerate", 9, 48), ("cruise", 35, 48), ("brake", 6, 18), ("accelerate", 6, 50), ("cruise", 40, 50), ("brake", 8, 0),
    ("idle", 15, 0), ("accelerate", 12, 68), ("cruise", 50, 68), ("brake", 8, 20), ("accelerate", 7, 48), ("cruise", 32, 48), ("brake", 8, 0), ("idle", 22, 0),
]
PERIOD = sum(seconds for _, seconds, _ in PHASES)
# Where a car may begin: at a standstill.
STOPS = [number for number, (phase, _, _) in enumerate(PHASES) if phase == "idle"]


def first_phase(number):
    """The number of the phase with which a car begins."""
    return STOPS[number % len(STOPS)]


def speed_at(moment):
    """km/h at a number of seconds after the beginning of the drive."""
    moment %= PERIOD
    before = 0.0
    for phase, seconds, speed in PHASES:
        after = before if phase == "cruise" else 0.0 if phase == "idle" else speed
        if moment < seconds:
            return before + (after - before) * moment / seconds
        moment -= seconds
        before = after
    return before


class Way:
    """A route through a grid of streets. It gives the position and the course after a distance from its start."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        # Blocks of 180 by 230 m. The grid is rotated slightly.
        self.turn = math.radians(17)
        self.corners = [(self.random.randint(-6, 6), self.random.randint(-5, 5))]
        self.lengths = [0.0]
        self.direction = self.random.randrange(4)

    def corner(self, point):
        x, y = point[0] * 230, point[1] * 180
        return x * math.cos(self.turn) - y * math.sin(self.turn), x * math.sin(self.turn) + y * math.cos(self.turn)

    def extend(self):
        # Usually straight on, sometimes left or right, never back. At the edge of the town, the route turns inwards.
        x, y = self.corners[-1]
        for _ in range(20):
            direction = (self.direction + self.random.choices([0, 1, 3], [5, 2, 2])[0]) % 4
            dx, dy = [(1, 0), (0, 1), (-1, 0), (0, -1)][direction]
            if abs(x + dx) <= 11 and abs(y + dy) <= 9:
                break
        self.direction = direction
        self.corners.append((x + dx, y + dy))
        (ax, ay), (bx, by) = self.corner(self.corners[-2]), self.corner(self.corners[-1])
        self.lengths.append(self.lengths[-1] + math.hypot(bx - ax, by - ay))

    def at(self, metres):
        """Latitude, longitude and course (degrees)."""
        while self.lengths[-1] <= metres:
            self.extend()
        low = max(0, next(place for place, length in enumerate(self.lengths) if length > metres) - 1)
        (ax, ay), (bx, by) = self.corner(self.corners[low]), self.corner(self.corners[low + 1])
        part = (metres - self.lengths[low]) / (self.lengths[low + 1] - self.lengths[low])
        x, y = ax + (bx - ax) * part, ay + (by - ay) * part
        latitude = CENTRE[0] + y / 111_320
        longitude = CENTRE[1] + x / (111_320 * math.cos(math.radians(CENTRE[0])))
        return latitude, longitude, math.degrees(math.atan2(bx - ax, by - ay)) % 360


class Drive:
    """A car's drive: speed, distance and place for each second."""

    def __init__(self, seed):
        self.way, self.metres, self.moment = Way(seed), 0.0, 0.0
        self.begin = sum(seconds for _, seconds, _ in PHASES[:first_phase(seed)])

    def step(self, seconds):
        speed = speed_at(self.begin + self.moment)
        self.metres += speed / 3.6 * seconds
        self.moment += seconds
        return (speed, *self.way.at(self.metres))


def uuid7(milliseconds, number):
    """A UUID of version 7."""
    low = secrets.randbits(62)
    return str(uuid.UUID(int=(milliseconds << 80) | (7 << 76) | ((number & 0xFFF) << 64) | (2 << 62) | low))


def text_of(moment):
    return datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Server:
    def __init__(self, address, token):
        self.address, self.token = address, token

    def send(self, method, path, body=None, token=None, headers=None):
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data=data, method=method, headers={
            "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin", **(headers or {})})
        if token is not False:
            request.add_header("Authorization", "Bearer " + (token or self.token))
        try:
            with urllib.request.urlopen(request) as answer:
                text = answer.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}") from None


def records(car, number, key, server, now, ends):
    """The trips of the last hours, which the car's gateway has sent. `ends`: the state of the car now, for tests."""
    drive = Drive(number)
    epoch, gateway = uuid7(int(now * 1000), number), "gw-" + car["id"].lower()
    found, sequence, odometer, fuel = [], 0, 48_000.0 + 3_170 * number, 88.0 - 9 * number

    def add(moment, kind, **values):
        nonlocal sequence
        sequence += 1
        found.append({
            "type": kind, "id": uuid7(int(moment * 1000), sequence), "timestamp": text_of(moment), "timeQuality": "gps", "gatewayId": gateway,
            "vehicleId": car["id"], "epoch": epoch, "seq": sequence, **values})

    trips = [(-200 - 11 * number, 23), (-140 + 5 * number, 31), (-75 - 3 * number, 18)]
    if ends:
        trips.append((-14 - number, 14 + number - {"moving": 0, "idle": 0, "parked": 9, "silent": 0}[ends]))
    for begin, minutes in trips:
        start, trip = now + begin * 60, str(uuid.uuid4())
        first, first_odometer, used, idle, fastest = drive.metres, odometer, 0.0, 0, 0.0
        latitude, longitude, course = drive.way.at(drive.metres)
        add(start, "trip", event="start", tripId=trip, startTime=text_of(start), startOdometer=round(odometer, 1), latitude=round(latitude, 6), longitude=round(longitude, 6))
        steps = minutes * 12
        for step in range(steps):
            moment = start + 5 * step
            speed, latitude, longitude, course = drive.step(5)
            if ends == "idle" and moment > now - 400:
                speed = 0.0
            elif ends == "moving" and moment > now - 20:
                speed = 48.0
            odometer += speed / 3600 * 5
            rate = 0.9 + speed * 0.11
            used += rate / 720
            fuel -= rate / 720 / car["tankCapacity"] * 100
            fastest = max(fastest, speed)
            idle += 5 if speed < 1 else 0
            add(moment, "telemetry", speed=round(speed), rpm=round(820 + speed * 27 + 40 * math.sin(step)), coolantTemp=round(min(90, 40 + step * 0.5)),
                fuelLevel=round(fuel, 1), engineLoad=round(18 + speed * 0.6), throttlePosition=round(12 + speed * 0.35), intakeAirTemp=24, batteryVoltage=14.1,
                fuelRate=round(rate, 2), odometer=round(odometer, 1), latitude=round(latitude, 6), longitude=round(longitude, 6),
                heading=round(course), gpsSpeed=round(speed, 1), fixType="3d", satellites=9)
        if begin + minutes < -2:
            end = start + minutes * 60
            add(end, "trip", event="end", tripId=trip, startTime=text_of(start), endTime=text_of(end), distance=round((drive.metres - first) / 1000, 2), distanceSource="odometer",
                startOdometer=round(first_odometer, 1), endOdometer=round(odometer, 1), fuelUsed=round(used, 2), idleSeconds=idle, maxSpeed=round(fastest),
                latitude=round(latitude, 6), longitude=round(longitude, 6))
    if car["id"] == "VAN-014":
        add(now - 3000, "dtc", ecu="7E8", event="appeared", dtcCodes=["P0456"], pending=["P0420"], mil=True, changed=["P0456"],
            freezeFrame={"frame": 0, "dtc": "P0456", "readings": {"rpm": 1721, "speed": 51, "coolantTemp": 68}})
    if ends == "silent":
        # The last record is older than a day.
        for record in found:
            moment = datetime.datetime.fromisoformat(record["timestamp"].replace("Z", "+00:00")).timestamp() - 2 * 86_400
            record["timestamp"], record["id"] = text_of(moment), uuid7(int(moment * 1000), record["seq"])
    for begin in range(0, len(found), 2000):
        lines = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in found[begin:begin + 2000])
        answer = server.send("POST", "/api/telemetry", lines.encode(), key, {"Content-Type": "application/x-ndjson"})
        if answer["refused"]:
            raise SystemExit(f"{answer['refused']} records were refused: {answer['results'][0]}")


def rectangle(west, south, east, north):
    return [[[west, south], [east, south], [east, north], [west, north], [west, south]]]


def prepare(folder, address, ends=None):
    """Creates the fleet. `ends`: the state of each car now, for tests without simulators."""
    with open(folder + "/administrator", encoding="utf-8") as file:
        server = Server(address, file.read().strip())
    now = time.time()
    accounts = {}
    for role, (first, last, email) in PEOPLE.items():
        password = secrets.token_urlsafe(24)
        person = server.send("POST", "/api/people", {"email": email, "firstName": first, "lastName": last, "roles": [role], "units": "metric"})
        token = server.send("POST", f"/api/people/{person['id']}/invite")["token"]
        server.send("POST", "/api/auth/setup", {"token": token, "password": password}, token=False)
        accounts[role] = {"email": email, "password": password, "id": person["id"]}
    fleet = server.send("POST", "/api/fleets", {"name": "Konstanz", "timeZone": "Europe/Berlin"})
    server.send("POST", "/api/fleets", {"name": "Singen", "timeZone": "Europe/Berlin", "notes": "From next year on"})
    drivers = {}
    names = [car["driver"] for car in CARS if car["driver"]] + ["Paul Kern", "Eva Lang"]
    for number, name in enumerate(names):
        drivers[name] = server.send("POST", "/api/drivers", {
            "name": name, "phone": f"+49 7531 55{number}{number}0", "licenceClasses": ["B", "C1"] if number % 2 else ["B"], "licenceNumber": f"B07{number}55K",
            "licenceExpiry": f"20{28 + number}-0{number + 1}-15" if name != "Paul Kern" else "2024-05-31", "fleetId": fleet["id"],
            **({"personId": accounts["driver"]["id"]} if name == "Jane Smith" else {})})
    for number, car in enumerate(CARS):
        details = {name: value for name, value in car.items() if name not in ("id", "driver")}
        server.send("PUT", "/api/vehicles/" + car["id"], {**details, "fleetId": fleet["id"]}, headers={"If-None-Match": "*"})
        gateway = "gw-" + car["id"].lower()
        key = server.send("POST", "/api/gateways", {"id": gateway, "vehicles": [car["id"]]})["key"]
        records(car, number, key, server, now, (ends or {}).get(car["id"]))
        if car["driver"]:
            server.send("POST", "/api/assignments", {
                "vehicleId": car["id"], "driverId": drivers[car["driver"]]["id"], "from": text_of(now - 6 * 3600 - number * 1800)})
        with open(f"{folder}/car{number}.token", "w", encoding="utf-8", opener=private) as file:
            file.write(key + "\n")
        # The simulated car has the speed of its GPS receiver.
        with open(f"{folder}/car{number}.json", "w", encoding="utf-8") as file:
            json.dump({"seed": number + 1, "cars": [{
                "vin": car["vin"], "fuel": "diesel" if car["fuelType"] == "diesel" else "gasoline", "tank": car["tankCapacity"], "fuelLevel": 60 - 7 * number,
                "odometer": 48_000 + 3_170 * number, "drive": {"repeat": True, "phases": phases(first_phase(number))},
                "ecus": [{"address": "7E8", **({"troubleCodes": [{"code": "P0456", "pending": 20, "at": 45, "mil": True}]} if number == 4 else {})}],
            }]}, file)
        with open(f"{folder}/daemon{number}.json", "w", encoding="utf-8") as file:
            json.dump({
                "gatewayId": gateway, "vehicle": {"id": car["id"]}, "stateDirectory": f"state{number}", "adapters": [{"device": f"car{number}"}],
                "gps": [{"device": f"receiver{number}"}], "discovery": {"serial": False, "bluetooth": False}, "spool": {"commitPeriod": 0.2},
                "status": {"socket": f"obdgated{number}.sock"},
                "sinks": ([{"type": "stdout"}] if number == 0 else []) + [
                    {"type": "fleetStore", "url": address + "/api", "tokenFile": f"car{number}.token", "batch": {"seconds": 1}}],
            }, file)
        os.makedirs(f"{folder}/state{number}", exist_ok=True)
    latitude, longitude = CENTRE
    server.send("PUT", "/api/geofences", json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"id": "depot", "name": "Depot Konstanz"},
         "geometry": {"type": "Polygon", "coordinates": rectangle(longitude + 0.004, latitude - 0.006, longitude + 0.013, latitude - 0.001)}},
        {"type": "Feature", "properties": {"id": "harbour", "name": "Harbour", "radius": 420}, "geometry": {"type": "Point", "coordinates": [longitude - 0.014, latitude + 0.007]}},
    ]}).encode(), headers={"Content-Type": "application/geo+json"})
    for number, (category, amount, vendor) in enumerate([("toll", "18.40", "Toll Collect"), ("parking", "6.00", "Parkhaus Altstadt"), ("wash", "14.90", "Clean Car"), ("insurance", "412.75", "Allianz")]):
        server.send("POST", "/api/expenses", {
            "category": category, "amount": {"amount": amount, "currency": "EUR"}, "at": text_of(now - 86_400 * (number + 1)), "vehicleId": CARS[number]["id"], "vendorName": vendor,
            **({"driverId": drivers["Jane Smith"]["id"]} if number < 2 else {})})
    for number, (litres, odometer, full) in enumerate([("52.4", 47_260, True), ("20", 47_610, False), ("41.3", 47_905, True)]):
        server.send("POST", "/api/fuel-entries", {
            "vehicleId": "VAN-001", "driverId": drivers["Jane Smith"]["id"], "at": text_of(now - 86_400 * (9 - 3 * number)), "energy": "diesel", "quantity": float(litres), "unit": "L",
            "full": full, "odometer": odometer, "total": {"amount": f"{float(litres) * 1.619:.2f}", "currency": "EUR"}, "place": "Radolfzell"})
    server.send("POST", "/api/journeys", {
        "vehicleId": "VAN-001", "driverId": drivers["Jane Smith"]["id"], "purpose": "business", "startTime": text_of(now - 10_000), "endTime": text_of(now - 7_000),
        "startOdometer": 48_000, "endOdometer": 48_021})
    # The driver declared another journey at the same time, with another vehicle.
    server.send("POST", "/api/journeys", {
        "vehicleId": "VAN-007", "driverId": drivers["Jane Smith"]["id"], "purpose": "business", "startTime": text_of(now - 9_500), "endTime": text_of(now - 8_000),
        "startOdometer": 51_200, "endOdometer": 51_214, "notes": "Parts for a customer in Radolfzell"})
    server.send("POST", "/api/tokens", {"label": "Accounting export", "role": "readOnly"})
    workshop(server, fleet["id"], drivers, now)
    fragment = base64.b64encode(json.dumps({
        role: {"email": account["email"], "password": account["password"]} for role, account in accounts.items()}).encode()).decode()
    with open(folder + "/demo", "w", encoding="utf-8", opener=private) as file:
        file.write(f"{address}/demo#{fragment}\n")
    return accounts


def workshop(server, fleet, drivers, now):
    """Service schedules, work orders, defects, inspections and documents."""
    def day(days):
        return text_of(now + 86_400 * days)[:10]

    def cost(amount):
        return {"amount": amount, "currency": "EUR"}

    def done(vehicle, days, odometer):
        return {"vehicleId": vehicle, "lastService": {"date": day(days), "odometer": odometer}}

    server.send("POST", "/api/service-schedules", {
        "serviceType": "oilChange", "every": {"kilometers": 15_000, "months": 12}, **done("VAN-001", -340, 33_600)})
    server.send("POST", "/api/service-schedules", {
        "serviceType": "brakeService", "every": {"kilometers": 20_000}, **done("VAN-007", -300, 30_900)})
    server.send("POST", "/api/service-schedules", {
        "serviceType": "inspection", "name": "Roadworthiness test", "every": {"months": 12}, "dueSoon": {"days": 30}, **done("TRUCK-012", -345, 51_000)})
    server.send("POST", "/api/service-schedules", {
        "serviceType": "tireRotation", "name": "Winter tyres", "every": {"months": 6}, "fleetId": fleet})
    server.send("POST", "/api/service-types", {"code": "tachograph", "name": "Tachograph calibration"})
    defect = server.send("POST", "/api/defects", {"vehicleId": "CAR-003", "severity": "major", "text": "Front brake pads are worn to 2 mm"})
    server.send("POST", "/api/defects", {"vehicleId": "VAN-001", "severity": "minor", "text": "Left wiper leaves streaks", "driverId": drivers["Jane Smith"]["id"]})
    repair = server.send("POST", "/api/maintenance-records", {
        "vehicleId": "CAR-003", "serviceType": "repair", "scheduledDate": day(0), "vendorName": "Seehas Garage", "defectIds": [defect["id"]],
        "lines": [{"kind": "labour", "text": "Replace the brake pads", "quantity": 1.5, "cost": cost("142.50")}, {"kind": "part", "text": "Brake pads, front axle", "quantity": 1, "cost": cost("86.90")}]})
    server.send("POST", f"/api/maintenance-records/{repair['id']}/start")
    server.send("POST", "/api/maintenance-records", {
        "vehicleId": "VAN-014", "serviceType": "other", "scheduledDate": day(4), "vendorName": "Seehas Garage", "notes": "Check the tank cap: P0456 comes back"})
    server.send("POST", "/api/maintenance-records", {
        "vehicleId": "VAN-001", "serviceType": "tireRotation", "completedDate": day(-30), "performedBy": "Tom Arendt", "cost": cost("48.00")})
    items = ["tyres", "lights", "brakes", "windows", "fluids", "damage", "equipment"]
    for vehicle, driver, hours, bad in [("VAN-001", "Jane Smith", 7, None), ("VAN-007", "Lena Vogt", 6, ("lights", "Left indicator does not work")), ("CAR-003", "Mia Roth", 30, None)]:
        report = server.send("POST", "/api/inspections", {
            "vehicleId": vehicle, "driverId": drivers[driver]["id"], "kind": "preTrip", "at": text_of(now - 3600 * hours), "place": "Depot Konstanz",
            "items": [{"item": item, "result": "ok"} if not bad or item != bad[0] else {"item": item, "result": "defect", "note": bad[1]} for item in items]})
        server.send("POST", f"/api/inspections/{report['id']}/sign", {"signature": driver})
    for kind, vehicle, title, days in [
            ("insurance", "VAN-001", "Fleet insurance 2026", 24), ("registration", "VAN-001", "Registration", None), ("permit", "TRUCK-012", "Road haulage licence", 400), ("insurance", "VAN-014", "Fleet insurance 2025", -3)]:
        server.send("POST", "/api/documents", {
            "of": {"kind": "vehicle", "id": vehicle}, "kind": kind, "title": title, "number": f"K-{4711 + (days or 0)}", **({"expiresOn": day(days)} if days else {})})
    server.send("POST", "/api/meter-readings", {"vehicleId": "VAN-014", "at": text_of(now - 60), "odometer": 312, "notes": "Typed the trip counter"})


def phases(first):
    """The phases from one on, as the simulator's scenario has them."""
    return [{"phase": phase, "seconds": seconds, **({"speed": speed} if phase in ("accelerate", "brake") else {})}
            for phase, seconds, speed in PHASES[first:] + PHASES[:first]]


def private(path, flags):
    return os.open(path, flags, 0o600)


def sentence(text):
    check = 0
    for letter in text.encode():
        check ^= letter
    return f"${text}*{check:02X}\r\n"


def degrees(value, digits, letters):
    whole = int(abs(value))
    return f"{whole:0{digits}d}{(abs(value) - whole) * 60:08.5f},{letters[value < 0]}"


def receivers(folder):
    """A pseudo-terminal for each car, with an epoch of NMEA 0183 each second."""
    terminals = []
    for number in range(len(CARS)):
        ours, theirs = os.openpty()
        tty.setraw(theirs, termios.TCSANOW)
        os.set_blocking(ours, False)
        link = f"{folder}/receiver{number}"
        os.symlink(os.ttyname(theirs), link)
        terminals.append((ours, theirs, Drive(number)))
    begun = time.monotonic()
    for epoch in range(10_000_000):
        select.select([], [], [], max(0, begun + epoch - time.monotonic()))
        now = datetime.datetime.now(datetime.timezone.utc)
        clock, day = now.strftime("%H%M%S.") + f"{now.microsecond // 10_000:02d}", now.strftime("%d%m%y")
        for ours, _, drive in terminals:
            speed, latitude, longitude, course = drive.step(1)
            place = f"{degrees(latitude, 2, 'NS')},{degrees(longitude, 3, 'EW')}"
            text = sentence(f"GPGGA,{clock},{place},1,09,0.9,405.0,M,48.0,M,,") + sentence(
                f"GPRMC,{clock},A,{place},{speed / 1.852:.1f},{course:.1f},{day},,,A")
            try:
                os.write(ours, text.encode())
            except BlockingIOError:
                pass  # nobody reads this receiver yet


if __name__ == "__main__":
    if sys.argv[1:2] == ["prepare"] and len(sys.argv) == 4:
        prepare(*sys.argv[2:])
    elif sys.argv[1:2] == ["receivers"] and len(sys.argv) == 3:
        receivers(sys.argv[2])
    else:
        raise SystemExit(__doc__)
