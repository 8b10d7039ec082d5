import FleetAccess
import FleetDomain
import HTTPTypes
import JSONText
import Telemetry

/// `/api/factors`: one's own second factors.
struct FactorRoutes {
  let accounts: AccountService

  private static let path = "/api/factors"
  /// The most factors of one person.
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
      var list = ListBody()
      for factor in page.items { list.append(factor.shown.canonicalText.utf8) }
      return Answer(json: list.finish())
    }
  }

  private var add: Route {
    let operation = Operation(
      id: "addFactor",
      summary:
        "Begins to add one-time codes of an authenticator app. The answer has their secret; the factor counts when a code has confirmed it.",
      body: .json("NewOneTimeCodes"), results: [.init(.created, "The factor and its secret.", .json("FactorSecret"))],
      errors: [.conflict])
    return Route(.post, Self.path, .people, operation) { [accounts] call in
      let (caller, signedIn) = try call.signedIn
      let name = try await call.object { reader throws(JSONError) in
        _ = try reader.requiredString("kind", oneOf: [Factor.Form.totp.rawValue])
        return try Names.text(&reader, "name") ?? "Authenticator app"
      }
      try call.requireRecentSignIn(accounts.settings.limits)
      let (seed, id) = (TOTP.newSecret(), UUIDv7.random(at: WallClock.now))
      let sealed = accounts.settings.secretKeys.seal(seed, for: SecretPlace.factor(id))
      let (factor, person) = try await accounts.storage.change(
        tenant: caller.tenant, by: caller.actor(from: call.client.address), at: WallClock.now
      ) { transaction throws(ThingError) in
        let present = try transaction.list(
          ThingQuery<Factor>(.oneOf(key: "personId", [signedIn.person.json]), limit: Self.most)
        ).items
        // What was begun and never confirmed makes room for the new one.
        for old in present where !old.value.isConfirmed { try transaction.remove(old, action: "replace") }
        guard present.filter(\.value.isConfirmed).count < Self.most else {
          throw .rule(code: "limitReached", message: "one person has at most \(Self.most) factors; remove one first")
        }
        var factor = Factor()
        factor.personID = signedIn.person
        factor.form = .totp
        factor.name = name
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
      try call.requireRecentSignIn(accounts.settings.limits)
      let id = try Self.id(call)
      let codes = RecoveryCodes.newSet()
      let result = try await accounts.storage.change(
        tenant: caller.tenant, by: caller.actor(from: call.client.address), at: WallClock.now
      ) { [accounts] transaction throws(ThingError) -> (factor: Stored<Factor>, isFirst: Bool)? in
        let factor = try Self.own(id, signedIn, transaction)
        guard factor.value.form == .totp, let seed = accounts.seed(of: factor),
          let step = TOTP(secret: seed).acceptedStep(for: code, at: transaction.now, after: factor.value.counter)
        else { return nil }
        var confirmed = factor.value
        confirmed.isConfirmed = true
        confirmed.counter = step
        confirmed.lastUsedAt = transaction.now
        let isFirst = try !transaction.factors(of: signedIn.person).contains { $0.value.form == .recoveryCodes }
        if isFirst { try Self.store(codes, of: signedIn.person, transaction) }
        return (try transaction.update(factor, to: confirmed, action: "confirm"), isFirst)
      }
      guard let result else { throw AccountService.wrongFactor }
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
      try call.requireRecentSignIn(accounts.settings.limits)
      let id = try Self.id(call)
      try await accounts.storage.change(
        tenant: caller.tenant, by: caller.actor(from: call.client.address), at: WallClock.now
      ) { transaction throws(ThingError) in
        try transaction.remove(try Self.own(id, signedIn, transaction), action: "remove")
        // Recovery codes replace a lost factor: without any, they are worth nothing.
        let left = try transaction.factors(of: signedIn.person)
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
      try call.requireRecentSignIn(accounts.settings.limits)
      let codes = RecoveryCodes.newSet()
      try await accounts.storage.change(
        tenant: caller.tenant, by: caller.actor(from: call.client.address), at: WallClock.now
      ) { transaction throws(ThingError) in
        let factors = try transaction.factors(of: signedIn.person)
        guard factors.contains(where: { $0.value.form != .recoveryCodes }) else {
          throw .rule(code: "noFactor", message: "recovery codes replace a lost factor; add a factor first")
        }
        for old in factors where old.value.form == .recoveryCodes { try transaction.remove(old, action: "replace") }
        try Self.store(codes, of: signedIn.person, transaction)
      }
      return Answer(
        json: Array(JSON.object(["recoveryCodes": .array(codes.map { .text($0) })]).canonicalText.utf8))
    }
  }

  private static func store(
    _ codes: [String], of person: UUIDv7, _ transaction: any FleetTransaction
  ) throws(ThingError) {
    var factor = Factor()
    factor.personID = person
    factor.form = .recoveryCodes
    factor.name = "Recovery codes"
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
  /// What its owner reads: without secrets; with the recovery codes that are left.
  var shown: JSON {
    guard case .object(var members) = json else { return .null }
    if value.form == .recoveryCodes, let left = value.counter { members["codesLeft"] = .integer(left) }
    return .object(members)
  }
}
