import FleetAccess
import FleetDomain
import FleetProviders
import FleetWork
import HTTPTypes
import Telemetry

/// `/api/webhooks`: the webhooks, which are URLs to which events are sent.
struct WebhookRoutes {
  let storage: any FleetStorage
  /// The keys that encrypt secrets.
  let keys: SecretKeys
  /// Whether the keys come from a file. If not, no secret can be stored, because no server could decrypt it after a
  /// restart.
  let hasKeyFile: Bool
  /// Whether events may be sent to addresses of private networks.
  let mayUsePrivate: Bool

  var routes: [Route] { things.routes + [remove, rotate, test, deliveries, redeliver] }

  private var things: ThingRoutes<Webhook> {
    var routes = ThingRoutes<Webhook>(
      storage: storage, area: .integrations,
      relation: { webhook, _, _ in Relation(fleets: Set(webhook.value.fleetIDs)) },
      restriction: { _, _, _ in nil },
      check: { [mayUsePrivate, hasKeyFile] old, new, transaction, call throws(ThingError) in
        guard ProviderClient.isAllowed(new.url, mayUseLoopback: mayUsePrivate, mayUsePrivate: mayUsePrivate) else {
          throw .invalid(FieldErrors([FieldError("url", "expected https://… of another machine")]))
        }
        try Self.requireScope(new, call)
        guard old == nil else { return }
        guard hasKeyFile else { throw Self.noKeyFile }
        guard try transaction.values(["isActive"], ThingQuery<Webhook>()).count < Webhook.most else {
          throw .rule(code: "limitReached", message: "a tenant has at most \(Webhook.most) webhooks; remove one first")
        }
      },
      derived: Self.derived(keys, hasKeyFile: hasKeyFile), order: [.init("createdAt")])
    routes.afterChange = { [keys] webhook, transaction throws(ThingError) in
      if webhook.value.secret == nil, webhook.version == 1 {
        var changed = webhook.value
        changed.secret = Self.seal(WebhookSignature.newSecret(), of: webhook.id, keys)
        try transaction.update(webhook, to: changed, action: "setSecret")
      }
      try transaction.follow(try transaction.existing(webhook.id, Webhook.self))
    }
    routes.shownOnce = { [keys] webhook throws(ThingError) in
      var members: [String: JSON] = [:]
      members["secret"] = Self.secret(of: webhook, keys).map { .text($0) }
      return members
    }
    return routes
  }

  private static let noKeyFile = ThingError.rule(
    code: "noSecretKeys", message: "the server has no file with keys of secrets (accounts.secretKeysFile)")

  /// Checks the fleets of a webhook: a caller who may see only some fleets may send only events of these fleets.
  private static func requireScope(_ webhook: Webhook, _ call: Call) throws(ThingError) {
    guard let reach = call.reach, !reach.isEverything else { return }
    guard let fleets = reach.fleets, !webhook.fleetIDs.isEmpty, Set(webhook.fleetIDs).isSubset(of: fleets) else {
      throw .forbidden(reason: reach.reason)
    }
  }

  private static func seal(_ secret: String, of id: UUIDv7, _ keys: SecretKeys) -> String {
    keys.seal(Array(secret.utf8), for: SecretPlace.eventWebhook(id))
  }

  /// Returns the newest secret of a webhook; `nil` if it has no secret, or if the secret cannot be decrypted.
  private static func secret(of webhook: Stored<Webhook>, _ keys: SecretKeys) -> String? {
    webhook.value.secret.flatMap { keys.open($0, for: SecretPlace.eventWebhook(webhook.id)) }
      .flatMap { String(decoding: $0, as: UTF8.self).split(separator: " ").first.map(String.init) }
  }

  /// Returns the field with the secret. Clients can set it. Only the answers to the creation and to `rotate` contain
  /// it.
  static func derived(_ keys: SecretKeys?, hasKeyFile: Bool) -> [DerivedField<Webhook>] {
    [
      DerivedField(
        key: "secret",
        schema: #"""
          {"description":"`whsec_` and 24 to 64 bytes in Base64. Absent at the creation: the server makes one. Only the \#
          answers to the creation and to `rotate` have it.","type":"string","maxLength":100}
          """#,
        read: { webhooks, _ in webhooks.map { _ in .null } },
        write: { json, webhook, _, transaction, _ throws(ThingError) in
          guard let secret = json.textValue, !secret.contains(" "), WebhookSignature(secret) != nil else {
            throw .invalid(
              FieldErrors([FieldError("secret", "expected whsec_ and 24 to 64 bytes in Base64")]))
          }
          guard let keys, hasKeyFile else { throw Self.noKeyFile }
          var changed = webhook.value
          (changed.secret, changed.previousSecretUntil) = (Self.seal(secret, of: webhook.id, keys), nil)
          return try transaction.update(webhook, to: changed, action: "setSecret")
        }),
      DerivedField(
        key: "waiting", schema: #"{"description":"The number of deliveries that wait.","type":"integer"}"#,
        read: { webhooks, view throws(ThingError) in
          try webhooks.map { webhook throws(ThingError) in
            .integer(try view.find(webhook.id, DeliveryProgress.self)?.value.waiting ?? 0)
          }
        }, write: nil),
    ]
  }

  /// Returns the webhook in the path of a request, if the caller may change the webhook.
  private func changeable(_ call: Call, _ view: any FleetView) throws(ThingError) -> Stored<Webhook> {
    let webhook = try things.existing(call, view)
    try Self.requireScope(webhook.value, call)
    return webhook
  }

  // MARK: Commands

  private var remove: Route {
    let operation = Operation(
      id: "removeWebhook", summary: "Removes a webhook. Nothing is sent any more, not even what waits.",
      results: [.init(.noContent, "Removed.")])
    return Route(.delete, things.path + "/{webhookId}", .may(.write, .integrations), operation, isFiltered: true) {
      [things] call in
      try await things.change(call) { transaction throws(ThingError) in
        let webhook = try changeable(call, transaction)
        try transaction.removeDeliveries(of: webhook.id)
        try transaction.remove(webhook, action: "remove")
      }
      return Answer(status: .noContent)
    }
  }

  private var rotate: Route {
    let operation = Operation(
      id: "rotateWebhook",
      summary: "Makes a new secret. For 24 hours, messages are also signed with the previous one.",
      results: [.init(.ok, "It, with the new secret.", .json("Webhook"), headers: ["ETag"])], errors: [.conflict])
    return Route(.post, things.path + "/{webhookId}/rotate", .may(.write, .integrations), operation, isFiltered: true) {
      [things, keys, hasKeyFile] call in
      let shown = try await things.change(call) { transaction throws(ThingError) in
        guard hasKeyFile else { throw Self.noKeyFile }
        let webhook = try changeable(call, transaction)
        let new = WebhookSignature.newSecret()
        var (changed, text) = (webhook.value, new)
        if let old = Self.secret(of: webhook, keys) {
          text += " \(old)"
          changed.previousSecretUntil = transaction.now.adding(seconds: Webhook.overlap)
        }
        changed.secret = Self.seal(text, of: webhook.id, keys)
        let stored = try transaction.update(webhook, to: changed, action: "rotate")
        return try things.shown(stored, call, transaction).adding(["secret": .text(new)])
      }
      return shown.answer()
    }
  }

  private var test: Route {
    let operation = Operation(
      id: "testWebhook", summary: "Sends an event of type `test`. The list of deliveries shows the result.",
      results: [.init(.accepted, "The delivery, which waits.", .json("Delivery"))], errors: [.conflict])
    return Route(.post, things.path + "/{webhookId}/test", .may(.write, .integrations), operation, isFiltered: true) {
      [things] call in
      let delivery = try await things.change(call) { transaction throws(ThingError) in
        try transaction.sendTest(to: try changeable(call, transaction))
      }
      return Answer(status: .accepted, json: delivery.json.canonicalBytes)
    }
  }

  // MARK: Deliveries

  private var deliveries: Route {
    let operation = Operation(
      id: "listWebhookDeliveries", summary: "The newest 100 deliveries of a webhook, the newest first.",
      results: [.init(.ok, "The deliveries.", .json("DeliveryList"))])
    return Route(
      .get, things.path + "/{webhookId}/deliveries", .may(.read, .integrations), operation, isFiltered: true
    ) { [things, storage] call in
      let items = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
        let webhook = try things.existing(call, view)
        return try view.list(
          ThingQuery<Delivery>(
            .oneOf(key: "receiverId", [webhook.id.json]), order: [.init("number", isDescending: true)],
            limit: DeliveryLimits.kept)
        ).items
      }
      return Answer(list: items.map(\.json))
    }
  }

  private var redeliver: Route {
    let operation = Operation(
      id: "redeliverWebhook",
      summary: "Sends a finished delivery once more, with the same `webhook-id`.",
      results: [.init(.accepted, "The delivery, which waits.", .json("Delivery"))], errors: [.conflict])
    return Route(
      .post, things.path + "/{webhookId}/deliveries/{deliveryId}/redeliver", .may(.write, .integrations), operation,
      isFiltered: true
    ) { [things] call in
      let name = call.parameters.last ?? ""
      let delivery = try await things.change(call) { transaction throws(ThingError) in
        let webhook = try changeable(call, transaction)
        guard let id = UUIDv7(name.utf8.span), let delivery = try transaction.find(id, Delivery.self),
          delivery.value.receiverID == webhook.id
        else { throw .notFound(kind: Delivery.names.one, id: name) }
        return try transaction.sendAgain(delivery)
      }
      return Answer(status: .accepted, json: delivery.json.canonicalBytes)
    }
  }
}
