import FleetAccess
import FleetDomain
import HTTPTypes
import JSONText
import Telemetry

extension AuthRoutes {
  var setUp: Route {
    let operation = Operation(
      id: "setUpAccount",
      summary:
        "Finishes an invitation, or makes the first administrator: the token of the link, and a new password. Good once.",
      body: .json("AccountSetUp"),
      results: [Self.step],
      errors: [.unauthorized, .forbidden, .conflict, .tooManyRequests])
    return Route(.post, Self.path + "/setup", .open, operation) { [accounts] call in
      try call.requireType(["application/json"])
      guard case .object(var members) = try await call.json(), let token = members["token"]?.textValue,
        let password = members["password"]?.textValue
      else { throw APIError.invalid("body: expected an object with token and password") }
      members["token"] = nil
      members["password"] = nil
      let request = AccountService.SetUp(token: token, password: password, profile: .object(members))
      let step = try await accounts.setUp(
        request, for: [.firstAdministrator, .invitation], try call.accountCaller(.cookie))
      return try await Self.answer(step, call, accounts)
    }
  }

  var recover: Route {
    let operation = Operation(
      id: "recoverAccount",
      summary:
        "Asks for a new password. The answer is the same whether or not there is such an account. If the server sends mails, the person gets a link; otherwise administrators see the request in the audit, and send one.",
      body: .json("Recovery"),
      results: [.init(.accepted, "If there is such an account, a link is on its way, or its administrators know.")],
      errors: [.forbidden, .tooManyRequests])
    return Route(.post, Self.path + "/recover", .open, operation) { [accounts] call in
      let (email, tenant) = try await call.object { reader throws(JSONError) in
        (try Self.email(&reader), try Self.tenant(&reader))
      }
      try await accounts.recover(email: email, tenant: tenant, try call.accountCaller(.cookie))
      return Answer(status: .accepted)
    }
  }

  var reset: Route {
    let operation = Operation(
      id: "resetPassword",
      summary:
        "Sets a new password with the token of a recovery link, or of a sign-in that was answered with `newPassword`. A token is valid once. Ends all sessions; a second factor is still needed.",
      body: .json("PasswordReset"),
      results: [Self.step],
      errors: [.unauthorized, .forbidden, .tooManyRequests])
    return Route(.post, Self.path + "/reset", .open, operation) { [accounts] call in
      let (token, password) = try await call.object { reader throws(JSONError) in
        (try reader.requiredString("token"), try reader.requiredString("password"))
      }
      let step = try await accounts.setUp(
        .init(token: token, password: password, profile: nil), for: [.recovery], try call.accountCaller(.cookie))
      return try await Self.answer(step, call, accounts)
    }
  }

  var changePassword: Route {
    let operation = Operation(
      id: "changePassword", summary: "Changes one's own password, and ends all other sessions.",
      body: .json("PasswordChange"), results: [.init(.noContent, "Changed.")], errors: [.unauthorized])
    return Route(.post, Self.path + "/password", .people, operation) { [accounts] call in
      let (caller, signedIn) = try call.signedIn
      let (password, new) = try await call.object { reader throws(JSONError) in
        (try reader.requiredString("password"), try reader.requiredString("newPassword"))
      }
      guard
        try await accounts.confirm(
          password, of: signedIn.person, caller.tenant, try call.accountCaller(signedIn.transport))
      else { throw AccountService.wrongPassword }
      let (person, factors) = try await accounts.storage.view(tenant: caller.tenant) { view throws(ThingError) in
        (try view.existing(signedIn.person, Person.self), try view.factors(of: signedIn.person))
      }
      let hash = try await accounts.newPassword(
        new, words: [person.value.email?.text, person.value.firstName, person.value.lastName].compactMap { $0 },
        hasSecondFactor: factors.contains { $0.value.form != .recoveryCodes }, of: caller.tenant,
        from: call.client.address)
      let address = call.client.address
      let ended = try await accounts.storage.change(
        tenant: caller.tenant, by: caller.actor(from: address), at: accounts.now()
      ) { [accounts] transaction throws(ThingError) in
        let changed = try transaction.setPassword(
          hash, of: try transaction.existing(signedIn.person, Person.self), action: "changePassword")
        try accounts.notify(.passwordChanged, changed, from: address, transaction)
        return try transaction.endSessions(of: signedIn.person, except: signedIn.session, action: "changePassword")
      }
      accounts.forget(caller.tenant, ended)
      return Answer(status: .noContent)
    }
  }

  var reauthenticate: Route {
    let operation = Operation(
      id: "confirmPassword",
      summary: "Proves again who one is: needed before factors, email addresses and roles are changed.",
      body: .json("PasswordConfirmation"), results: [.init(.noContent, "Confirmed.")], errors: [.unauthorized])
    return Route(.post, Self.path + "/confirm", .people, operation) { [accounts] call in
      let (caller, signedIn) = try call.signedIn
      let password = try await call.object { reader throws(JSONError) in try reader.requiredString("password") }
      guard
        try await accounts.confirm(
          password, of: signedIn.person, caller.tenant, try call.accountCaller(signedIn.transport))
      else { throw AccountService.wrongPassword }
      try await accounts.storage.change(
        tenant: caller.tenant, by: caller.actor(from: call.client.address), at: accounts.now()
      ) { transaction throws(ThingError) in
        let session = try transaction.existing(signedIn.session, Session.self)
        var confirmed = session.value
        confirmed.authenticatedAt = transaction.now
        try transaction.update(session, to: confirmed, action: "confirm")
      }
      accounts.forget(caller.tenant, [])
      return Answer(status: .noContent)
    }
  }
}
