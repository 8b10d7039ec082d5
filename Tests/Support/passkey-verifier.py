"""Checks registrations and assertions of passkeys with another implementation: webauthn (PyPI).

Standard input: one JSON object a line, {"options", "credential", "challenge", "origin", "site"}; for an assertion also
{"key", "counter"}, the public key and the counter that the registration gave. `options` are those of the server; null
if they are not checked. Standard output: one JSON object a line, {"key", "counter"} or {"error"}.
"""
import json
import sys

from webauthn import verify_authentication_response, verify_registration_response
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url
from webauthn.helpers.parse_authentication_options_json import parse_authentication_options_json
from webauthn.helpers.parse_registration_options_json import parse_registration_options_json


def check(request):
    common = {
        "credential": request["credential"], "expected_challenge": base64url_to_bytes(request["challenge"]),
        "expected_rp_id": request["site"], "expected_origin": request["origin"], "require_user_verification": True,
    }
    if "key" in request:
        if request["options"]:
            options = parse_authentication_options_json(request["options"])
            assert options.challenge == common["expected_challenge"] and options.rp_id == request["site"]
        done = verify_authentication_response(
            **common, credential_public_key=base64url_to_bytes(request["key"]),
            credential_current_sign_count=request["counter"])
        return {"key": request["key"], "counter": done.new_sign_count}
    if request["options"]:
        options = parse_registration_options_json(request["options"])
        assert options.challenge == common["expected_challenge"] and options.rp.id == request["site"]
    done = verify_registration_response(**common)
    return {"key": bytes_to_base64url(done.credential_public_key), "counter": done.sign_count}


for line in sys.stdin:
    try:
        answer = check(json.loads(line))
    except Exception as error:  # Each kind of refusal has its own class.
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
