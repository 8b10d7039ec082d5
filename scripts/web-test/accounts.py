"""Tests of signing in, and of sessions."""
import subprocess

from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

from suite import PASSWORD, REFUSED, test


@test
def wrong_password_is_explained_and_the_right_one_opens_the_live_map(browser):
    # A test before may have signed in.
    browser.driver.delete_all_cookies()
    browser.open("/sign-in")
    account = browser.stage.accounts["admin"]
    browser.fill("#email", account["email"])
    browser.fill("#password", "a wrong password")
    browser.click("form .button.primary")
    browser.sees("Email address or password is wrong.")
    assert browser.script("return document.getElementById('email').value") == account["email"]
    browser.fill("#password", account["password"])
    browser.click("form .button.primary")
    browser.sees("4 of 5 reporting")
    assert browser.script("return location.pathname") == "/live"
    browser.click(".avatar")
    browser.click(".button", "Sign out")
    browser.element("#password")
    return [REFUSED]


@test
def invited_person_sets_a_password_and_a_second_factor_protects_the_account(browser):
    server = browser.stage.server
    person = server.send("POST", "/api/people", {"email": "nora@fleet.example", "firstName": "Nora", "lastName": "Falk", "roles": ["viewer"]})
    token = server.send("POST", f"/api/people/{person['id']}/invite")["token"]
    browser.open("/setup#" + token)
    browser.fill("#password", "short")
    browser.click("form .button.primary")
    browser.element(".summary")
    browser.fill("#password", PASSWORD)
    browser.click("form .button.primary")
    browser.until(lambda: browser.all("#email") or browser.all(".avatar"), "the account")
    if browser.all("#email"):
        browser.fill("#email", "nora@fleet.example")
        browser.fill("#password", PASSWORD)
        browser.click("form .button.primary")
    browser.element(".avatar")
    browser.go("/profile")
    browser.click(".button", "Add an authenticator app")
    secret = browser.element("dialog .secret code").text
    browser.fill("#totp-code", code_of(secret))
    browser.click("dialog .button.primary")
    browser.sees("Recovery codes")
    recovery = browser.element("dialog .secret code").text.split("\n")[0]
    browser.click("dialog [aria-label=Close]")
    browser.click(".button", "Sign out")
    browser.fill("#email", "nora@fleet.example")
    browser.fill("#password", PASSWORD)
    browser.click("form .button.primary")
    browser.sees("One more step")
    browser.fill("#code", "000000")
    browser.click("form .button.primary")
    browser.sees("This code is wrong")
    browser.fill("#code", recovery)
    browser.click("form .button.primary")
    browser.element(".avatar")
    return [REFUSED]


@test
def passkey_signs_in_without_a_password(browser):
    server = browser.stage.server
    person = server.send("POST", "/api/people", {"email": "kim@fleet.example", "firstName": "Kim", "lastName": "Oster", "roles": ["viewer"]})
    token = server.send("POST", f"/api/people/{person['id']}/invite")["token"]
    # A passkey belongs to a name, not to an address.
    here = browser.stage.address.replace("127.0.0.1", "localhost")
    options = VirtualAuthenticatorOptions(
        protocol=VirtualAuthenticatorOptions.Protocol.CTAP2, transport=VirtualAuthenticatorOptions.Transport.INTERNAL,
        has_resident_key=True, has_user_verification=True, is_user_verified=True)
    browser.driver.add_virtual_authenticator(options)
    try:
        browser.open(here + "/setup#" + token)
        browser.fill("#password", PASSWORD)
        browser.click("form .button.primary")
        browser.element(".avatar")
        made = browser.driver.execute_async_script("""
            const done = arguments[0];
            const post = async (path, body) => {
              const answer = await fetch(path, { method: "POST", headers: body ? { "Content-Type": "application/json" } : {}, body: body && JSON.stringify(body) });
              if (!answer.ok) throw new Error(await answer.text());
              return answer.json();
            };
            (async () => {
              const { publicKey } = await post("/api/auth/passkeys/registration");
              const credential = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) });
              return post("/api/auth/passkeys", { credential: credential.toJSON(), name: "Virtual key" });
            })().then(factor => done(factor.name), error => done(String(error)));""")
        assert made == "Virtual key", made
        assert [key.is_resident_credential for key in browser.driver.get_credentials()] == [True]
        browser.click(".avatar")
        browser.click(".button", "Sign out")
        browser.click(".button", "Sign in with a passkey")
        browser.element(".avatar")
        # The password alone is no longer enough.
        browser.click(".avatar")
        browser.click(".button", "Sign out")
        browser.fill("#email", "kim@fleet.example")
        browser.fill("#password", PASSWORD)
        browser.click("form .button.primary")
        browser.sees("One more step")
    finally:
        browser.driver.remove_virtual_authenticator()


def code_of(secret):
    """The one-time code of now (RFC 6238)."""
    found = subprocess.run(["oathtool", "--totp", "-b", "-"], input=secret, stdout=subprocess.PIPE, text=True, check=True)
    return found.stdout.strip()


@test
def forgotten_password_has_the_same_answer_for_every_address(browser):
    browser.open("/recover")
    browser.fill("#email", "unknown@fleet.example")
    browser.click("form .button.primary")
    browser.sees("If there is an account with this address")


@test
def session_that_ended_asks_again_and_returns_to_the_page(browser):
    browser.sign_in("maintenance")
    # This page has no map, so no further request is under way when it is complete.
    browser.go("/drivers")
    browser.calm()
    browser.driver.delete_all_cookies()
    # If the page has noticed it by itself, it stays on this page.
    path, text = browser.script("""
        const link = [...document.querySelectorAll('.rail a')].find(link => link.textContent.includes('Vehicles'));
        link?.click();
        return link ? ['/vehicles', 'KN-FL 101'] : ['/drivers', 'Omar'];""")
    browser.sees("Your session has ended")
    browser.fill("#email", browser.stage.accounts["maintenance"]["email"])
    browser.fill("#password", browser.stage.accounts["maintenance"]["password"])
    browser.click("form .button.primary")
    browser.sees(text)
    assert browser.script("return location.pathname") == path
    return [REFUSED, "WebSocket"]
