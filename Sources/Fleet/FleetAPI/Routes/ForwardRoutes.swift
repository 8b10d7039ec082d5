import FleetAccess
import FleetConnectors
import FleetDomain
import FleetProviders
import HTTPTypes
import Telemetry

/// `/api/forwards`: forwards, which send the tenant's records to other programs. `/api/connector-events`: the webhooks
/// that other programs send for connectors.
struct ForwardRoutes {
  let storage: any FleetStorage
  /// The keys that encrypt secrets.
  let keys: SecretKeys
  /// Whether the keys come from a file. If not, no secret can be stored, because no server could decrypt it after a
  /// restart.
  let hasKeyFile: Bool
  /// Whether records may be sent to addresses of private networks.
  let mayUsePrivate: Bool
  let owners: OwnerLookups

  /// The beginning of the paths to which other programs send events. Each request has a signature or contains a secret.
  static let events = "/api/connector-events"

  var routes: [Route] { things.routes + [remove, event] }

  private var things: ThingRoutes<Forward> {
    var routes = ThingRoutes<Forward>(
      storage: storage, area: .integrations, relation: { _, _, _ in Relation() }, restriction: { _, _, _ in nil },
      check: { [mayUsePrivate] old, new, transaction, call throws(ThingError) in
        try Self.check(new, mayUsePrivate: mayUsePrivate)
        if old?.value.address != new.address { try Self.checkTopics(of: new, call) }
        if let old { try Self.check(old, to: new, transaction) }
      },
      derived: Self.derived(keys, hasKeyFile: hasKeyFile), order: [.init("name")])
    routes.afterChange = { forward, transaction throws(ThingError) in
      if forward.value.secret != nil { try Self.requireUser(forward.value) }
      try transaction.follow(forward)
    }
    routes.checkNew = { forward throws(ThingError) in
      // A forward from an archive has no secret until one is set, but a new one needs it.
      if forward.value.format == .webhook, forward.value.secret == nil { throw Self.noSignature }
    }
    return routes
  }

  private static func check(_ new: Forward, mayUsePrivate: Bool) throws(ThingError) {
    let (isAllowed, expected) =
      if new.format == .homeAssistant {
        (MQTTAddress.isAllowed(new.address, mayUsePrivate: mayUsePrivate), MQTTAddress.expected)
      } else {
        (
          ProviderClient.isAllowed(new.address, mayUseLoopback: mayUsePrivate, mayUsePrivate: mayUsePrivate),
          "expected https://… of another machine"
        )
      }
    guard isAllowed else { throw .invalid(FieldErrors([FieldError("address", expected)])) }
    guard new.keyHeader == nil || new.format != .webhook else {
      throw .invalid(FieldErrors([FieldError("keyHeader", "expected none, because a webhook has a signature")]))
    }
    guard new.keyHeader == nil || new.format != .homeAssistant else {
      throw .invalid(FieldErrors([FieldError("keyHeader", "expected none, because the secret is a password")]))
    }
  }

  /// Checks that the caller's tenant may use the topics in the new address of a forward.
  private static func checkTopics(of forward: Forward, _ call: Call) throws(ThingError) {
    guard forward.format == .homeAssistant, let address = MQTTAddress(forward.address),
      let tenant = call.identity?.tenant, !address.isAllowed(for: tenant)
    else { return }
    throw .invalid(FieldErrors([FieldError("address", MQTTAddress.expectedPrefix(of: tenant))]))
  }

  /// The error if a webhook has no valid secret with which to sign its requests.
  private static var noSignature: ThingError {
    .invalid(FieldErrors([FieldError("secret", WebhookSignature.expectedSecret)]))
  }

  /// Checks that the address of a broker contains the user to whom the password belongs.
  private static func requireUser(_ forward: Forward) throws(ThingError) {
    guard forward.format == .homeAssistant, MQTTAddress(forward.address)?.user == nil else { return }
    throw .invalid(FieldErrors([FieldError("address", "\(MQTTAddress.expected); the password needs a USER")]))
  }

  /// Checks changed settings of a forward.
  private static func check(
    _ old: Stored<Forward>, to new: Forward, _ transaction: any FleetTransaction
  ) throws(ThingError) {
    guard !new.isActive || new.removeBy == nil else {
      throw .invalid(FieldErrors([FieldError("isActive", "expected false, because the forward is being removed")]))
    }
    guard new.format == .homeAssistant, let from = MQTTAddress(old.value.address), let to = MQTTAddress(new.address),
      !from.hasSameTopics(as: to), try transaction.hasPublished(old.id)
    else { return }
    let expected = "expected the same broker and prefix, because messages are there"
    throw .invalid(FieldErrors([FieldError("address", "\(expected); remove the forward, and add another")]))
  }

  static func derived(_ keys: SecretKeys?, hasKeyFile: Bool) -> [DerivedField<Forward>] {
    [
      .secret(
        "secret",
        "The value of the header `Authorization`, or of `keyHeader`; of a webhook, the secret of its signature; of "
          + "`homeAssistant`, the password of the user in the address.", keys, hasKeyFile: hasKeyFile
      ) { secret, forward, transaction, keys throws(ThingError) in
        if forward.value.format == .webhook, secret.flatMap({ WebhookSignature($0) }) == nil {
          throw Self.noSignature
        }
        if secret != nil { try Self.requireUser(forward.value) }
        var changed = forward.value
        changed.secret = secret.map { keys.seal(Array($0.utf8), for: SecretPlace.forward(forward.id)) }
        return try transaction.update(forward, to: changed, action: "setSecret")
      },
      DerivedField(
        key: "hasSecret", schema: #"{"description":"Whether it has a secret.","type":"boolean"}"#,
        read: { forwards, _ in forwards.map { .bool($0.value.secret != nil) } }, write: nil),
    ]
  }

  private var remove: Route {
    let operation = Operation(
      id: "removeForward",
      summary:
        "Removes a forward. Nothing is sent any more. If retained messages of a forward `homeAssistant` are on the "
        + "broker, the forward remains with `removeBy` until they are cleared; removing it again leaves them there.",
      results: [
        .init(.noContent, "Removed."),
        .init(.accepted, "It is removed as soon as its messages are cleared.", .json("Forward"), headers: ["ETag"]),
      ])
    return Route(.delete, things.path + "/{forwardId}", .may(.write, .integrations), operation, isFiltered: true) {
      [things] call in
      let ending = try await things.change(call) { transaction throws(ThingError) in
        let forward = try things.existing(call, transaction)
        let isRemoved = try transaction.end(forward)
        return isRemoved ? nil : try things.shown(try things.existing(call, transaction), call, transaction)
      }
      return ending?.answer(status: .accepted) ?? Answer(status: .noContent)
    }
  }

  /// Receives an event from another program.
  private var event: Route {
    let operation = Operation(
      id: "receiveConnectorEvent",
      summary:
        "Takes events of a connector's service: Samsara's webhooks with their signature, or lines of Tesla's Fleet "
        + "Telemetry with the secret as bearer token.",
      parameters: [
        .header("X-Samsara-Signature", "`v1=` and the HMAC-SHA-256 of timestamp and body."),
        .header("X-Samsara-Timestamp", "The time of the signature, seconds since 1970."),
      ],
      body: .init(types: ["application/json", "application/x-ndjson"], schema: nil),
      results: [.init(.noContent, "Taken.")], errors: [.unauthorized, .insufficientStorage])
    var route = Route(.post, Self.events + "/{tenant}/{connectorId}", .open, operation, bodyLimit: nil) {
      [storage, keys] call in
      let body = try await call.body()
      let headers = call.request.headers
      let names = ["X-Samsara-Signature", "X-Samsara-Timestamp"].map { name in
        HTTPField.Name(name).flatMap { headers[$0] } ?? ""
      }
      guard let (tenant, id) = Self.connector(call.parameters),
        try await WebhookReceiver(storage: storage, keys: keys).receive(
          body, of: id, tenant: tenant,
          .init(signature: names[0], timestamp: names[1], authorization: headers[.authorization] ?? ""),
          at: WallClock.now)
      else { throw APIError(.unauthorized, "unauthorized", "signature or token are not right, or too old") }
      return Answer(status: .noContent)
    }
    // The signature covers the body, so it can be checked only after the body has arrived. Until then, the request
    // counts for the tenant if its path is the address of a connector. Only the connector's service and tenant know
    // this address.
    route.owner = { [storage, owners, keys] _, parameters, _, address in
      guard let (tenant, id) = Self.connector(parameters) else { return nil }
      func owner(_: Stored<Connector>) -> CredentialOwner {
        CredentialOwner(tenant: tenant, key: Secret.hash(of: id.string))
      }
      let credential = "\(tenant.text)/\(id.string)"
      return try await owners.first(of: [credential], from: address, owner: owner) { _ in
        try await WebhookReceiver(storage: storage, keys: keys).connector(id, tenant: tenant)
      }.map(owner)
    }
    return route
  }

  private static func connector(_ parameters: [String]) -> (tenant: TenantID, id: UUIDv7)? {
    guard let tenant = parameters.first.flatMap({ TenantID($0) }),
      let id = parameters.last.flatMap({ UUIDv7($0.utf8.span) })
    else { return nil }
    return (tenant, id)
  }
}

extension DerivedField {
  /// The maximum length of a secret in bytes.
  private static var longestSecret: Int { 8_192 }

  /// Creates a field for a secret. Clients can set the field but never read it.
  ///
  /// - Parameters:
  ///   - keys: the keys that encrypt secrets; `nil` if only the schema is needed.
  ///   - hasKeyFile: whether the keys come from a file. If not, no secret can be stored, because no server could
  ///     decrypt it after a restart.
  ///   - set: encrypts and stores the secret.
  static func secret(
    _ key: String, _ description: String, _ keys: SecretKeys?, hasKeyFile: Bool,
    _ set:
      @escaping @Sendable (String?, Stored<Value>, any FleetTransaction, SecretKeys) throws(ThingError)
      -> Stored<Value>
  ) -> DerivedField<Value> {
    DerivedField(
      key: key,
      schema:
        #"{"description":"\#(description)","type":["string","null"],"maxLength":\#(longestSecret),"writeOnly":true}"#,
      read: { things, _ in things.map { _ in .null } },
      write: { json, thing, _, transaction, _ throws(ThingError) in
        guard json == .null || json.textValue.map({ (1...longestSecret).contains($0.utf8.count) }) ?? false else {
          throw .invalid(FieldErrors([FieldError(key, "expected 1 to \(longestSecret) bytes of text, or null")]))
        }
        do throws(FieldError) {
          if let secret = json.textValue { try RequestHeader.checkSecret(secret, key) }
        } catch {
          throw .invalid(FieldErrors([error]))
        }
        guard let keys, hasKeyFile else {
          throw .rule(
            code: "noSecretKeys", message: "the server has no file with keys of secrets (accounts.secretKeysFile)")
        }
        return try set(json.textValue, thing, transaction, keys)
      })
  }
}
