"""Uses the client that openapi-python-client has made of /api/openapi.json as its user would.

generated-client.py FOLDER URL TOKEN: FOLDER has the package `fleet_client`. If something is wrong, prints it and ends with 1.
"""
import compileall
import datetime
import importlib
import json
import pkgutil
import sys
import uuid

folder, url, token = sys.argv[1:4]
sys.path.insert(0, folder)

assert compileall.compile_dir(folder + "/fleet_client", quiet=1), "the client does not compile"
import fleet_client

for module in pkgutil.walk_packages(fleet_client.__path__, "fleet_client."):
    importlib.import_module(module.name)

from fleet_client import AuthenticatedClient, models
from fleet_client.api import default as api


def operation(name):
    return importlib.import_module("fleet_client.api.default." + name)


client = AuthenticatedClient(base_url=url, token=token, raise_on_unexpected_status=True)


def call(name, *arguments, **options):
    answer = operation(name).sync_detailed(*arguments, client=client, **options)
    assert answer.status_code < 300, f"{name}: {answer.status_code} {answer.content!r}"
    return answer.parsed


def record(number, kind, **rest):
    return models.Record.from_dict({
        "type": kind, "id": f"019df1ae-d0b8-7000-8000-{number:012x}", "timestamp": f"2026-05-04T06:30:{number:02}.000Z",
        "timeQuality": "gps", "gatewayId": "gw-1", "vehicleId": "VAN-001",
        "epoch": "019df1ae-0000-7000-8000-000000000000", "seq": number, **rest,
    })


assert call("get_health").status == "ok"
vehicle = call("create_vehicle", body=models.NewVehicle(id="VAN-001", name="first"))
assert vehicle.id == "VAN-001" and isinstance(vehicle.added_at, datetime.datetime)

answer = call("send_records", body=[
    record(1, "telemetry", speed=50, rpm=1726.25, latitude=47.5, longitude=9.25, mil=False, dtcCodes=["P0420"]),
    record(2, "telemetry", speed=True),
    record(3, "trip", tripId="019df1ae-d0b8-7000-8000-0000000000aa", event="start", distance=0),
    record(4, "dtc", ecu="7E8", event="snapshot", dtcCodes=["P0456"], mil=True),
    record(5, "nobodyKnowsIt", speed="fast"),
])
assert (answer.stored, answer.refused) == (4, 1), answer
assert [result.outcome for result in answer.results] == ["stored", "refused", "stored", "stored", "stored"]
assert answer.results[1].kind == "invalidValue" and answer.results[1].reason.startswith("speed: "), answer.results[1]

found = call("list_telemetry", "VAN-001").data
assert len(found) == 1 and found[0].speed == 50 and found[0].rpm == 1726.25 and found[0].dtc_codes == ["P0420"], found
assert found[0].id == uuid.UUID("019df1ae-d0b8-7000-8000-000000000001"), found
chosen = call("list_telemetry", "VAN-001", fields="speed", limit=1).data
assert set(chosen[0].to_dict()) == {"id", "timestamp", "speed"}, chosen
assert call("list_vehicle_trips", "VAN-001").data[0].event == "start"
assert call("list_dtcs").data[0].mil is True
assert call("list_events").data[0].type_ == "nobodyKnowsIt"
assert call("get_latest", "VAN-001").vehicle.id == "VAN-001"
assert [entry.id for entry in call("list_vehicles").data] == ["VAN-001"]

changed = vehicle.to_dict() | {"name": "second"}
assert call("put_vehicle", "VAN-001", body=models.VehicleDetails.from_dict(changed)).name == "second"
made = call("add_gateway", body=models.NewGateway(id="gw-1", vehicles=["VAN-001"]))
assert made.key.startswith("fsk_") and made.gateway.vehicles == ["VAN-001"]
assert call("list_gateways").data[0].id == "gw-1"
assert isinstance(call("get_gateway", "gw-1").current_vehicle, fleet_client.types.Unset)
secret = call("add_token", body=models.NewToken(role=models.TokenRole("readOnly"), label="display"))
assert secret.secret.startswith("fst_") and secret.token.role == "readOnly"
assert len(call("list_tokens").data) == 2
fences = {"type": "FeatureCollection", "features": [{
    "type": "Feature", "geometry": {"type": "Point", "coordinates": [9.25, 47.5]},
    "properties": {"id": "yard", "name": "Yard", "radius": 100},
}]}
assert operation("replace_fences").sync_detailed(
    client=client, body=models.Fences.from_dict(fences)).status_code == 204
assert call("get_fences").to_dict() == fences

refused = operation("get_vehicle").sync_detailed("VAN-002", client=client)
assert refused.status_code == 404 and refused.parsed.error.code == "notFound", refused
assert operation("remove_fences").sync_detailed(client=client).status_code == 204
assert call("get_fences").to_dict()["features"] == []
assert operation("remove_gateway").sync_detailed("gw-1", client=client).status_code == 204
assert call("list_gateways").data == []
assert operation("remove_vehicle").sync_detailed("VAN-001", client=client).status_code == 204
print("the client works:", len(list(pkgutil.walk_packages(api.__path__))), "operations")
