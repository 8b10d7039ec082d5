import FleetAccess
import FleetDomain
import FleetProviders
import HTTPTypes
import Telemetry

/// `/api/push-subscriptions`: the browsers in which the caller receives push messages.
struct PushRoutes {
  let storage: any FleetStorage
  /// The keys that encrypt secrets.
  let keys: SecretKeys
  /// Whether the keys come from a file. If not, no private key can be stored, because no server could decrypt it after
  /// a restart.
  let hasKeyFile: Bool
  /// Whether push services may have addresses of private networks.
  let mayUsePrivate: Bool

  /// A push subscription as a browser describes it (Push API, `PushSubscription.toJSON()`).
  struct SubscriptionBody: NestedValue {
    struct Keys: NestedValue {
      var p256dh = ""
      var auth = ""

      static let fields: [Field<Keys>] = [Field("p256dh", \.p256dh).required(), Field("auth", \.auth).required()]
    }

    var endpoint = ""
    var keys = Keys()

    static let ignoredKeys = ["expirationTime"]
    static let fields: [Field<SubscriptionBody>] = [
      Field("endpoint", \.endpoint).required(), Field("keys", \.keys).required(),
    ]
  }

  private static let path = "/api/push-subscriptions"

  var routes: [Route] { [key, list, add, remove] }

  private var key: Route {
    let operation = Operation(
      id: "getPushKey", summary: "The server's public key (VAPID), which a browser needs to subscribe.",
      results: [.init(.ok, "The key.", .json("PushPublicKey"))], errors: [.conflict])
    return Route(.get, "/api/push-key", .people, operation) { [storage, keys, hasKeyFile] call in
      let (caller, _) = try call.signedIn
      guard hasKeyFile else {
        throw ThingError.rule(
          code: "noSecretKeys", message: "the server has no file with keys of secrets (accounts.secretKeysFile)")
      }
      let stored = try await storage.view(tenant: caller.tenant) { view throws(ThingError) in
        try view.find(PushKey.id, PushKey.self)
      }
      let sealed: String?
      if let stored {
        sealed = stored.value.secret
      } else {
        let new = keys.seal(PushSigner().secret, for: SecretPlace.pushKey)
        sealed = try await storage.change(tenant: caller.tenant, by: Actor(.server), at: WallClock.now) {
          transaction throws(ThingError) in
          // Another request may have stored a key since the previous transaction.
          if let present = try transaction.find(PushKey.id, PushKey.self) { return present.value.secret }
          var key = PushKey()
          key.secret = new
          return try transaction.insert(key, id: PushKey.id, action: "create").value.secret
        }
      }
      guard let bytes = sealed.flatMap({ keys.open($0, for: SecretPlace.pushKey) }), let signer = PushSigner(bytes)
      else {
        throw ThingError.rule(
          code: "noSecretKeys", message: "the key of push messages was encrypted with a key that the server lacks")
      }
      return Answer(json: JSON.object(["key": .text(signer.publicKey)]).canonicalBytes)
    }
  }

  private var list: Route {
    let operation = Operation(
      id: "listPushSubscriptions", summary: "One's own browsers that receive push messages.",
      results: [.init(.ok, "The subscriptions.", .json("PushSubscriptionList"))])
    return Route(.get, Self.path, .people, operation) { [storage] call in
      let (caller, signedIn) = try call.signedIn
      let items = try await storage.view(tenant: caller.tenant) { view throws(ThingError) in
        try view.list(
          ThingQuery<PushSubscription>(
            .oneOf(key: "personId", [signedIn.person.json]), order: [.init("createdAt")], limit: PushSubscription.most)
        ).items
      }
      return Answer(list: items.map(\.json))
    }
  }

  private var add: Route {
    let operation = Operation(
      id: "addPushSubscription",
      summary:
        "Sends push messages to a browser of the caller, until the session ends. The same browser again changes nothing.",
      body: .json("PushRequest"),
      results: [.init(.created, "The subscription.", .json("PushSubscription"))], errors: [.conflict])
    return Route(.post, Self.path, .people, operation) { [storage, mayUsePrivate] call in
      let (caller, signedIn) = try call.signedIn
      try call.requireType(["application/json"])
      let json = try await call.json()
      let body = try SubscriptionBody.command(json)
      guard ProviderClient.isAllowed(body.endpoint, mayUseLoopback: mayUsePrivate, mayUsePrivate: mayUsePrivate) else {
        throw ThingError.invalid(FieldErrors([FieldError("endpoint", "expected https://… of a push service")]))
      }
      guard PushEncryption(key: body.keys.p256dh, auth: body.keys.auth) != nil else {
        throw ThingError.invalid(
          FieldErrors([FieldError("keys", "expected the keys of a browser: p256dh, a point on P-256; auth, 16 bytes")]))
      }
      let client = call.request.headers[.userAgent].map { String($0.prefix(200)) }
      let stored = try await storage.change(
        tenant: caller.tenant, by: caller.actor(from: call.client.address), at: WallClock.now
      ) { transaction throws(ThingError) in
        try transaction.subscribe(body, signedIn, client: client)
      }
      return Answer(status: .created, json: stored.json.canonicalBytes)
    }
  }

  private var remove: Route {
    let operation = Operation(
      id: "removePushSubscription", summary: "Sends no more push messages to a browser of the caller.",
      results: [.init(.noContent, "Removed.")])
    return Route(.delete, Self.path + "/{subscriptionId}", .people, operation) { [storage] call in
      let (caller, signedIn) = try call.signedIn
      let id = try ThingRoutes<PushSubscription>.id(call)
      try await storage.change(
        tenant: caller.tenant, by: caller.actor(from: call.client.address), at: WallClock.now
      ) { transaction throws(ThingError) in
        let stored = try transaction.existing(id, PushSubscription.self)
        guard stored.value.personID == signedIn.person else {
          throw .notFound(kind: PushSubscription.names.one, id: id.string)
        }
        try transaction.remove(subscription: stored, action: "remove")
        try transaction.record(
          "unsubscribe", kind: PushSubscription.names.one, thing: id, details: ["personId": signedIn.person.json])
      }
      return Answer(status: .noContent)
    }
  }
}

extension FleetTransaction {
  /// Adds a browser of a person. A browser has only one subscription, so an earlier subscription with the same address
  /// is replaced.
  fileprivate func subscribe(
    _ body: PushRoutes.SubscriptionBody, _ signedIn: SignedIn, client: String?
  ) throws(ThingError) -> Stored<PushSubscription> {
    for old in try list(ThingQuery<PushSubscription>(.oneOf(key: "endpoint", [.text(body.endpoint)]))).items {
      if old.value.personID == signedIn.person, old.value.sessionID == signedIn.session,
        old.value.key == body.keys.p256dh, old.value.auth == body.keys.auth
      {
        return old
      }
      try remove(subscription: old, action: "replace")
    }
    let own = ThingQuery<PushSubscription>(.oneOf(key: "personId", [signedIn.person.json]))
    guard try values(["client"], own).count < PushSubscription.most else {
      throw .rule(
        code: "limitReached",
        message: "push messages are sent to at most \(PushSubscription.most) browsers of a person; remove one first")
    }
    var new = PushSubscription()
    (new.personID, new.sessionID, new.client) = (signedIn.person, signedIn.session, client)
    (new.endpoint, new.key, new.auth) = (body.endpoint, body.keys.p256dh, body.keys.auth)
    let stored = try insert(new)
    try record(
      "subscribe", kind: PushSubscription.names.one, thing: stored.id, details: ["personId": signedIn.person.json])
    return stored
  }
}
