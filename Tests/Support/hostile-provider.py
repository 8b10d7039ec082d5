"""An OpenID provider for tests. The first segment of its issuer's path determines whether it is honest or hostile, and how.

hostile-provider.py: issuers are http://127.0.0.1:PORT/MODE. A code is base64url of {"nonce", "challenge"} and
further claims; GET /MODE/authorize is a page with a link that signs in. The verifier of a code is checked (RFC 7636), and a code is valid once.
GET /MODE/logout?sub=…&sid=… answers a logout token. The answers to a code with the claim "held", and those of the
mode heldDescription, wait until GET /MODE/release.

Standard output: "port N", then the path of each request.
"""
import base64
import hashlib
import hmac
import html
import json
import threading
import time
import urllib.parse
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)
used = set()
released = threading.Event()


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value):
    return text(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def parsed(value):
    return json.loads(base64.urlsafe_b64decode(value + "=" * (-len(value) % 4)))


def token(mode, claims):
    head = {"alg": "RS256", "kid": "k1"}
    if mode == "none":
        head["alg"] = "none"
    if mode == "hs256":
        head["alg"] = "HS256"
    if mode == "unknownKey":
        head["kid"] = "k2"
    signed = ".".join(text(json.dumps(part).encode()) for part in (head, claims)).encode()
    if mode == "none":
        signature = b""
    elif mode == "hs256":
        public = KEY.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        signature = hmac.new(public, signed, hashlib.sha256).digest()
    else:
        signature = (OTHER if mode == "otherKey" else KEY).sign(signed, padding.PKCS1v15(), hashes.SHA256())
    return signed.decode() + "." + text(signature)


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, content, status=200, **headers):
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass

    @property
    def parts(self):
        path = urllib.parse.urlsplit(self.path)
        mode, _, rest = path.path.lstrip("/").partition("/")
        return mode, rest, dict(urllib.parse.parse_qsl(path.query))

    def trouble(self, mode, place):
        """Whether this mode changes the requested answer."""
        if mode == "huge" + place:
            self.answer({"x": "y" * 1_000_000})
        elif mode == "garbage" + place:
            self.answer(b"\x00\xff{]")
        elif mode == "redirect" + place:
            self.answer({}, 302, Location=f"http://127.0.0.1:{PORT}/good/{self.parts[1]}")
        elif mode == "error" + place:
            self.answer({}, 500)
        elif mode == "held" + place:
            released.wait(60)
            return False
        elif mode == "slow" + place:
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b" ")
                    time.sleep(1)
            except OSError:
                pass
        else:
            return False
        return True

    def do_GET(self):
        print(self.path.split("?")[0], flush=True)
        mode, rest, query = self.parts
        issuer = f"http://127.0.0.1:{PORT}/{mode}"
        if rest == ".well-known/openid-configuration":
            if self.trouble(mode, "Description"):
                return
            self.answer({
                # As at Entra ID, the issuer of a token depends on the directory.
                "issuer": f"http://127.0.0.1:{PORT}/{{tenantid}}" if mode == "organizations"
                else issuer + ("x" if mode == "otherIssuerDescription" else ""),
                "authorization_endpoint": issuer + "/authorize",
                "token_endpoint": "http://192.0.2.1/token" if mode == "plainToken" else issuer + "/token",
                "jwks_uri": "file:///etc/passwd" if mode == "fileKeys" else issuer + "/keys",
                "end_session_endpoint": issuer + "/end",
                "authorization_response_iss_parameter_supported": mode == "namesIssuer",
            })
        elif rest == "keys":
            if self.trouble(mode, "Keys"):
                return
            public = KEY.public_key().public_numbers()
            self.answer({"keys": [{"kty": "RSA", "kid": "k1", "n": number(public.n), "e": number(public.e)}]})
        elif rest == "release":
            released.set()
            self.answer({})
        elif rest == "authorize":
            # The person who signs in is the one of the token.
            code = text(json.dumps({"nonce": query["nonce"], "challenge": query["code_challenge"]}).encode())
            back = query["redirect_uri"] + "?" + urllib.parse.urlencode({"code": code, "state": query["state"]})
            self.answer(f'<!doctype html><title>Sign in</title><a id="continue" href="{html.escape(back)}">Continue as Ann</a>'.encode(), **{"Content-Type": "text/html"})
        elif rest == "logout":
            now = int(time.time())
            claims = {
                "iss": issuer, "aud": "fleet", "iat": now, "exp": now + 120, "jti": str(uuid.uuid4()),
                "events": {"http://schemas.openid.net/event/backchannel-logout": {}}, **query,
            }
            self.answer(token(mode, claims).encode())
        else:
            self.answer({}, 404)

    def do_POST(self):
        print(self.path, flush=True)
        mode, rest, _ = self.parts
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        if self.trouble(mode, "Token"):
            return
        secret = base64.b64encode(b"fleet:s%2Fcret").decode()
        if rest != "token" or self.headers.get("Authorization") != "Basic " + secret:
            return self.answer({"error": "invalid_client"}, 401)
        code = parsed(form["code"])
        challenge = text(hashlib.sha256(form["code_verifier"].encode()).digest())
        if form["code"] in used or form["grant_type"] != "authorization_code" or challenge != code["challenge"]:
            return self.answer({"error": "invalid_grant"}, 400)
        used.add(form["code"])
        if code.get("claims", {}).pop("held", False):
            released.wait(60)
        now = int(time.time())
        access = "access-token"
        claims = {
            "iss": f"http://127.0.0.1:{PORT}/{mode}", "aud": "fleet", "sub": "ann-1", "nonce": code["nonce"], "iat": now,
            "exp": now + 300, "at_hash": text(hashlib.sha256(access.encode()).digest()[:16]), "sid": "s-1",
            "email": "ann@example.org", "email_verified": True, "given_name": "Ann", "family_name": "Lee",
            **code.get("claims", {}),
        }
        claims.update({
            "wrongNonce": {"nonce": "other"}, "wrongAudience": {"aud": "other"}, "wrongIssuer": {"iss": "http://127.0.0.1"},
            "expired": {"exp": now - 300}, "notYetValid": {"nbf": now + 300}, "wrongHash": {"at_hash": "AAAA"},
            "wrongParty": {"azp": "other"},
        }.get(mode, {}))
        self.answer({"access_token": access, "token_type": "Bearer", "id_token": token(mode, claims)})


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
PORT = server.server_address[1]
print(f"port {PORT}", flush=True)
server.serve_forever()
