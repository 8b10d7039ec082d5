import FleetAccess
import FleetDomain
import HTTPTypes
import JSONText
import Telemetry

/// `/api/auth/passkeys`: the routes for adding a passkey and for signing in with it (WebAuthn Level 3).
struct PasskeyRoutes {
  let accounts: AccountService

  private static let path = AuthRoutes.path + "/passkeys"

  var routes: [Route] { [registrationOptions, register, signInOptions, signIn] }

  private var registrationOptions: Route {
    let operation = Operation(
      id: "beginPasskey", summary: "The options with which a browser makes a passkey for one's own account.",
      results: [.init(.ok, "The options.", .json("PasskeyOptions"))])
    return Route(.post, Self.path + "/registration", .people, operation) { [accounts] call in
      let (caller, signedIn) = try call.signedIn
      try call.requireRecentSignIn(accounts)
      let (person, factors) = try await accounts.storage.view(tenant: caller.tenant) { view throws(ThingError) in
        (try view.existing(signedIn.person, Person.self), try view.factors(of: signedIn.person))
      }
      let options = accounts.registrationOptions(
        person, factors, tenant: caller.tenant, accounts.relyingParty(call.ownURL))
      return Answer(json: Array(options.canonicalText.utf8))
    }
  }

  private var register: Route {
    let operation = Operation(
      id: "addPasskey", summary: "Adds the passkey that a browser has made.", body: .json("NewPasskey"),
      results: [.init(.created, "The factor.", .json("Factor"))], errors: [.unauthorized, .conflict])
    return Route(.post, Self.path, .people, operation) { [accounts] call in
      let (caller, signedIn) = try call.signedIn
      try call.requireRecentSignIn(accounts)
      let (credential, name) = try await call.object { reader throws(JSONError) in
        (try PasskeyCredential(try reader.required("credential")), try Names.text(&reader, "name") ?? "Passkey")
      }
      let factor = try await accounts.addPasskey(
        credential, name: name, caller, signedIn, accounts.relyingParty(call.ownURL), from: call.client.address)
      return Answer(status: .created, json: Array(factor.shown.canonicalText.utf8))
    }
  }

  private var signInOptions: Route {
    let operation = Operation(
      id: "beginPasskeySignIn", summary: "The options with which a browser signs in with a passkey.",
      body: .json("PasskeySignInBeginning"), results: [.init(.ok, "The options.", .json("PasskeyOptions"))],
      errors: [.forbidden])
    return Route(.post, Self.path + "/assertion", .open, operation) { [accounts] call in
      let tenant = try await call.object { reader throws(JSONError) in try AuthRoutes.tenant(&reader) }
      _ = try call.accountCaller(.cookie)
      let options = accounts.signInOptions(tenant: tenant, accounts.relyingParty(call.ownURL))
      return Answer(json: Array(options.canonicalText.utf8))
    }
  }

  private var signIn: Route {
    let operation = Operation(
      id: "signInWithPasskey",
      summary:
        "Signs in with a passkey. Neither a password nor another factor is needed: the authenticator has verified the person.",
      body: .json("PasskeySignIn"), results: [.init(.ok, "The session.", .json("SignInStep"))],
      errors: [.unauthorized, .forbidden, .tooManyRequests])
    return Route(.post, Self.path + "/login", .open, operation) { [accounts] call in
      let (credential, isApp) = try await call.object { reader throws(JSONError) in
        (
          try PasskeyCredential(try reader.required("credential")),
          try reader.optionalString("session", oneOf: ["cookie", "token"]) == "token"
        )
      }
      let caller = try call.accountCaller(isApp ? .token : .cookie)
      let opened = try await accounts.signIn(passkey: credential, accounts.relyingParty(call.ownURL), caller)
      return try await AuthRoutes.answer(.signedIn(opened), call, accounts)
    }
  }
}
