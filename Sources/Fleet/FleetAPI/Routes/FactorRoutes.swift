import FleetAccess
import FleetDomain
import HTTPTypes
import JSONText
import Telemetry

/// `/api/factors`: the caller's second factors.
struct FactorRoutes {
  let accounts: AccountService

  private static let path = "/api/factors"
  /// Maximum number of factors of one person.
  static let most = 20

  var routes: [Route] { [list, add, confirm, remove, recoveryCodes] }

  private var list: Route {
    let operation = Operation(
      id: "listFactors", summary: "One's own second factors.",
      results: [.init(.ok, "The factors.", .json("FactorList"))])
    return Route(.get, Self.path, .people, operation) { [accounts] call in
      let (caller, signedIn) = try call.signedIn
      let page = try await accounts.storage.view(tenant: caller.tenant) { view throws(ThingError) in
        try view.list(
          ThingQuery<Factor>(.oneOf(key: "personId", [signedIn.person.json]), order: [.init("createdAt")], limit: 100))
      }
      return Answer(list: page.items.map(\.shown))
    }
  }

  private var add: Route {
    let operation = Operation(
      id: "addFactor",
      summary:
        "Begins to add a factor, which counts when a code has confirmed it. `totp`: one-time codes of an authenticator app; the answer has their secret. `emailCode`: a code is sent by email.",
      body: .json("FactorRequest"), results: [.init(.created, "The factor, and its secret.", .json("FactorSecret"))],
      errors: [.conflict, .tooManyRequests])
    return Route(.post, Self.path, .people, operation) { [accounts] call in
      let (caller, signedIn) = try call.signedIn
      let (form, name) = try await call.object { reader throws(JSONError) in
        let kind = try reader.requiredString(
          "kind", oneOf: [Factor.Form.totp.rawValue, Factor.Form.emailCode.rawValue])
        return (Factor.Form(rawValue: kind) ?? .totp, try Names.text(&reader, "name"))
      }
      guard accounts.settings.hasKeyFile else {
        throw APIError(
          .conflict, "noSecretKeys",
          "this server has no file with keys of secrets, so it cannot keep the secret of one-time codes; its administrator names one in accounts.secretKeysFile"
        )
      }
      try call.requireRecentSignIn(accounts)
      return form == .emailCode
        ? try await addEmailCodes(name ?? "Email", call, caller, signedIn)
        : try await addOneTimeCodes(name ?? "Authenticator app", call, caller, signedIn)
    }
  }

  private func addOneTimeCodes(
    _ name: String, _ call: Call, _ caller: Identity, _ signedIn: SignedIn
  ) async throws -> Answer {
    let (seed, id) = (TOTP.newSecret(), UUIDv7.random(at: accounts.now()))
    let sealed = accounts.settings.secretKeys.seal(seed, for: SecretPlace.factor(id))
    let (factor, person) = try await accounts.storage.change(
      tenant: caller.tenant, by: caller.actor(from: call.client.address), at: accounts.now()
    ) { transaction throws(ThingError) in
      var factor = try Self.begun(.totp, name, signedIn, transaction)
      factor.secret = sealed
      return (
        try transaction.insert(factor, id: id, action: "create"),
        try transaction.existing(signedIn.person, Person.self)
      )
    }
    let uri = TOTP(secret: seed).provisioningURI(
      issuer: accounts.settings.serviceName, account: person.value.email?.text ?? "")
    let json = JSON.object([
      "factor": factor.shown, "secret": .text(Base32.text(seed)), "uri": .text(uri),
    ])
    return Answer(status: .created, json: Array(json.canonicalText.utf8))
  }

  private func addEmailCodes(
    _ name: String, _ call: Call, _ caller: Identity, _ signedIn: SignedIn
  ) async throws -> Answer {
    guard accounts.mayUseEmailCodes(caller.tenant) else { throw AccountService.noEmailCodes }
    let code = EmailCode.new()
    let factor = try await accounts.storage.change(
      tenant: caller.tenant, by: caller.actor(from: call.client.address), at: accounts.now()
    ) { [accounts] transaction throws(ThingError) -> Stored<Factor>? in
      let factor = try Self.begun(.emailCode, name, signedIn, transaction)
      guard try !transaction.factors(of: signedIn.person).contains(where: { $0.value.form == .emailCode }) else {
        throw .rule(code: "exists", message: "codes by email are a factor of this account already")
      }
      let stored = try transaction.insert(factor)
      let person = try transaction.existing(signedIn.person, Person.self)
      guard try accounts.mailCode(code, for: AccountService.place(of: stored.id), to: person, transaction) else {
        try transaction.remove(stored, action: "limitReached")
        return nil
      }
      return stored
    }
    guard let factor else { throw AccountService.tooManyCodes }
    return Answer(status: .created, json: Array(JSON.object(["factor": factor.shown]).canonicalText.utf8))
  }

  /// Creates a factor that is not confirmed yet. Removes earlier factors of the same form that were never confirmed.
  private static func begun(
    _ form: Factor.Form, _ name: String, _ signedIn: SignedIn, _ transaction: any FleetTransaction
  ) throws(ThingError) -> Factor {
    let present = try transaction.list(
      ThingQuery<Factor>(.oneOf(key: "personId", [signedIn.person.json]), limit: 2 * most)
    ).items
    let replaced = present.filter { !$0.value.isConfirmed && $0.value.form == form }
    for old in replaced { try transaction.remove(old, action: "replace") }
    guard present.filter(\.value.isConfirmed).count < most else {
      throw .rule(code: "limitReached", message: "one person has at most \(most) factors; remove one first")
    }
    var factor = Factor()
    factor.personID = signedIn.person
    factor.form = form
    factor.name = name
    return factor
  }

  private var confirm: Route {
    let operation = Operation(
      id: "confirmFactor",
      summary:
        "Proves with a code that a new factor works. The answer to the first one has recovery codes, shown once.",
      body: .json("FactorCode"), results: [.init(.ok, "The factor, and recovery codes.", .json("ConfirmedFactor"))],
      errors: [.unauthorized])
    return Route(.post, Self.path + "/{factorId}/confirm", .people, operation) { [accounts] call in
      let (caller, signedIn) = try call.signedIn
      let code = try await call.object { reader throws(JSONError) in try reader.requiredString("code") }
      try call.requireRecentSignIn(accounts)
      let id = try Self.id(call)
      let codes = RecoveryCodes.newSet()
      let address = call.client.address
      let result = try await accounts.storage.change(
        tenant: caller.tenant, by: caller.actor(from: address), at: accounts.now()
      ) { [accounts] transaction throws(ThingError) -> (factor: Stored<Factor>, isFirst: Bool)? in
        let factor = try Self.own(id, signedIn, transaction)
        var confirmed = factor.value
        switch factor.value.form {
        case .totp:
          guard let seed = accounts.seed(of: factor),
            let step = TOTP(secret: seed).acceptedStep(for: code, at: transaction.now, after: factor.value.counter)
          else { return nil }
          confirmed.counter = step
        case .emailCode:
          guard accounts.mayUseEmailCodes(caller.tenant), !factor.value.isConfirmed,
            try transaction.acceptEmailCode(
              code, for: AccountService.place(of: id), accounts.settings.secretKeys)
          else { return nil }
        case .passkey, .recoveryCodes: return nil
        }
        if !factor.value.isConfirmed {
          let person = try transaction.existing(signedIn.person, Person.self)
          try accounts.notify(.factorAdded, person, item: factor.value.name, from: address, transaction)
        }
        confirmed.isConfirmed = true
        confirmed.lastUsedAt = transaction.now
        let isFirst = try !transaction.factors(of: signedIn.person).contains { $0.value.form == .recoveryCodes }
        if isFirst { try Self.store(codes, of: signedIn.person, transaction) }
        if signedIn.needsFactor { try transaction.allowEverything(to: signedIn.session) }
        return (try transaction.update(factor, to: confirmed, action: "confirm"), isFirst)
      }
      guard let result else { throw AccountService.wrongFactor }
      // Discard the cached session, because its rights have changed.
      if signedIn.needsFactor { accounts.forget(caller.tenant, []) }
      var members: [String: JSON] = ["factor": result.factor.shown]
      if result.isFirst { members["recoveryCodes"] = .array(codes.map { .text($0) }) }
      return Answer(json: Array(JSON.object(members).canonicalText.utf8))
    }
  }

  private var remove: Route {
    let operation = Operation(
      id: "removeFactor", summary: "Removes one of one's own factors.", results: [.init(.noContent, "Removed.")])
    return Route(.delete, Self.path + "/{factorId}", .people, operation) { [accounts] call in
      let (caller, signedIn) = try call.signedIn
      try call.requireRecentSignIn(accounts)
      let id = try Self.id(call)
      let address = call.client.address
      try await accounts.storage.change(
        tenant: caller.tenant, by: caller.actor(from: address), at: accounts.now()
      ) { [accounts] transaction throws(ThingError) in
        let factor = try Self.own(id, signedIn, transaction)
        try transaction.remove(factor, action: "remove")
        if factor.value.isConfirmed {
          let person = try transaction.existing(signedIn.person, Person.self)
          try accounts.notify(.factorRemoved, person, item: factor.value.name, from: address, transaction)
        }
        // Recovery codes are only a replacement for other factors. They are removed together with the last other
        // factor.
        let left = try transaction.factors(of: signedIn.person)
        let isLast = factor.value.isConfirmed && left.allSatisfy { $0.value.form == .recoveryCodes }
        guard !isLast || !accounts.settings.requiringFactor.contains(caller.tenant) else {
          throw .rule(
            code: "factorRequired", message: "a second factor is required here; add another one before you remove this")
        }
        guard left.allSatisfy({ $0.value.form == .recoveryCodes }) else { return }
        for codes in left { try transaction.remove(codes, action: "remove") }
      }
      return Answer(status: .noContent)
    }
  }

  private var recoveryCodes: Route {
    let operation = Operation(
      id: "replaceRecoveryCodes", summary: "Makes ten new recovery codes; all older ones end. They are shown once.",
      results: [.init(.ok, "The codes.", .json("RecoveryCodes"))], errors: [.conflict])
    return Route(.post, "/api/recovery-codes", .people, operation) { [accounts] call in
      let (caller, signedIn) = try call.signedIn
      try call.requireRecentSignIn(accounts)
      let codes = RecoveryCodes.newSet()
      let address = call.client.address
      try await accounts.storage.change(
        tenant: caller.tenant, by: caller.actor(from: address), at: accounts.now()
      ) { [accounts] transaction throws(ThingError) in
        let factors = try transaction.factors(of: signedIn.person)
        guard factors.contains(where: { $0.value.form != .recoveryCodes }) else {
          throw .rule(code: "noFactor", message: "recovery codes replace a lost factor; add a factor first")
        }
        for old in factors where old.value.form == .recoveryCodes { try transaction.remove(old, action: "replace") }
        try Self.store(codes, of: signedIn.person, transaction)
        let person = try transaction.existing(signedIn.person, Person.self)
        try accounts.notify(.factorAdded, person, item: Self.recoveryCodesName, from: address, transaction)
      }
      return Answer(
        json: Array(JSON.object(["recoveryCodes": .array(codes.map { .text($0) })]).canonicalText.utf8))
    }
  }

  private static let recoveryCodesName = "Recovery codes"

  private static func store(
    _ codes: [String], of person: UUIDv7, _ transaction: any FleetTransaction
  ) throws(ThingError) {
    var factor = Factor()
    factor.personID = person
    factor.form = .recoveryCodes
    factor.name = recoveryCodesName
    factor.isConfirmed = true
    factor.secret = codes.compactMap { RecoveryCodes.hash(of: $0)?.text }.joined(separator: " ")
    factor.counter = Int64(codes.count)
    try transaction.insert(factor)
  }

  private static func own(
    _ id: UUIDv7, _ signedIn: SignedIn, _ transaction: any FleetTransaction
  ) throws(ThingError) -> Stored<Factor> {
    let factor = try transaction.existing(id, Factor.self)
    guard factor.value.personID == signedIn.person else {
      throw .notFound(kind: Factor.names.one, id: id.json.textValue ?? "")
    }
    return factor
  }

  private static func id(_ call: Call) throws(APIError) -> UUIDv7 {
    let text = call.parameters.first ?? ""
    guard let id = UUIDv7(text.utf8.span) else { throw .notFound("no factor \(quoted(text))") }
    return id
  }
}

extension Stored<Factor> {
  /// The factor as its owner sees it: without secrets. For recovery codes, with the number of unused codes.
  var shown: JSON {
    guard case .object(var members) = json else { return .null }
    if value.form == .recoveryCodes, let left = value.counter { members["codesLeft"] = .integer(left) }
    return .object(members)
  }
}
