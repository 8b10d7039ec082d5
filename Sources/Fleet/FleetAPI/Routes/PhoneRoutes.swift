import FleetAccess
import FleetConnectors
import FleetDomain
import FleetWork
import HTTPTypes
import Telemetry

/// `/api/phones`: drivers' phones that report positions. `/api/phone-reports`: the requests with which apps on these
/// phones report positions.
struct PhoneRoutes {
  let storage: any FleetStorage
  /// The keys that encrypt secrets.
  let keys: SecretKeys
  /// Whether the keys come from a file. If not, no secret can be stored, because no server could decrypt it after a
  /// restart.
  let hasKeyFile: Bool
  let owners: OwnerLookups

  var routes: [Route] { things.routes + [remove, rotate, report(.post), report(.get)] }

  /// The beginning of the paths to which apps send positions. Each request contains the key of a phone.
  static let reports = "/api/phone-reports"

  // MARK: Phones

  private var things: ThingRoutes<Phone> {
    ThingRoutes(
      ofDrivers: storage, area: .contacts, driver: { $0.driverID }, order: [.init("name")],
      derived: Self.derived(keys, hasKeyFile: hasKeyFile),
      check: { old, new, transaction, call throws(ThingError) in try Self.check(old, &new, transaction, call) })
  }

  /// Returns the field for the key with which the app OwnTracks encrypts messages. Clients can set the field but never
  /// read it.
  static func derived(_ keys: SecretKeys?, hasKeyFile: Bool) -> [DerivedField<Phone>] {
    [
      .secret(
        "messageKey", "The key of OwnTracks' encrypted messages, at most 32 bytes.", keys, hasKeyFile: hasKeyFile
      ) { secret, phone, transaction, keys throws(ThingError) in
        guard secret?.utf8.count ?? 1 <= 32 else {
          throw .invalid(FieldErrors([FieldError("messageKey", "expected at most 32 bytes")]))
        }
        var changed = phone.value
        changed.messageKey = secret.map { keys.seal(Array($0.utf8), for: SecretPlace.phone(phone.id)) }
        return try transaction.update(phone, to: changed, action: "setSecret")
      },
      DerivedField(
        key: "hasMessageKey", schema: #"{"description":"Whether its messages are encrypted.","type":"boolean"}"#,
        read: { phones, _ in phones.map { .bool($0.value.messageKey != nil) } }, write: nil),
    ]
  }

  /// Checks the driver of a phone. If the driver has an account, only the driver may allow that positions are stored.
  private static func check(
    _ old: Stored<Phone>?, _ new: inout Phone, _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) {
    let own = try call.identity.map { identity throws(ThingError) in try identity.ownDrivers(transaction) } ?? []
    if new.driverID == nil, call.reach?.isOnlyOwn ?? false { new.driverID = own.first }
    guard let id = new.driverID else {
      throw .invalid(FieldErrors([FieldError("driverId", "expected the id of a driver, found none")]))
    }
    let driver = try transaction.referenced(driver: id)
    if new.sharesPosition, old?.value.sharesPosition != true, driver.value.personID != nil, !own.contains(id) {
      throw .forbidden(reason: "sharesPosition: only the driver can allow this")
    }
  }

  private var remove: Route {
    let operation = Operation(
      id: "removePhone", summary: "Removes a phone. Its key is invalid at once; stored positions stay.",
      results: [.init(.noContent, "Removed.")])
    return Route(.delete, things.path + "/{phoneId}", .may(.write, .contacts), operation, isFiltered: true) {
      [things] call in
      try await things.change(call) { transaction throws(ThingError) in
        try transaction.remove(try things.existing(call, transaction), action: "remove")
      }
      return Answer(status: .noContent)
    }
  }

  private var rotate: Route {
    let operation = Operation(
      id: "rotatePhoneKey", summary: "Gives a phone a new key. Only this answer contains it.",
      results: [.init(.ok, "The key.", .json("PhoneKey"))])
    return Route(
      .post, things.path + "/{phoneId}/rotate", .may(.write, .contacts), operation, isFiltered: true
    ) { [things] call in
      let key = Secret(.phoneKey, of: try call.tenant.text)
      let hash = key.hash.text
      try await things.change(call) { transaction throws(ThingError) in
        let stored = try things.existing(call, transaction)
        var phone = stored.value
        phone.keyHash = hash
        try transaction.update(stored, to: phone, action: "rotateKey")
      }
      return Answer(json: Array(JSON.object(["key": .text(key.text)]).canonicalText.utf8))
    }
  }

  // MARK: Reports

  /// Returns the route that receives positions in the formats of several apps. Traccar Client sends positions in the
  /// query of a GET or POST request, as a form, or as JSON. The other apps send JSON.
  private func report(_ method: HTTPRequest.Method) -> Route {
    let names = PhoneFormat.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
    var operation = Operation(
      id: method == .get ? "reportPositionByQuery" : "reportPosition",
      summary:
        "Stores positions of a phone: \(names). The key is the password (Basic), a bearer token, or in the query.",
      parameters: [
        .query("key", "The key of the phone.", #"{"type":"string"}"#),
        .query("id", "The key of the phone, as Traccar Client sends it.", #"{"type":"string"}"#),
      ],
      body: method == .get
        ? nil
        : .init(
          types: ["application/json", "application/x-www-form-urlencoded"], schema: nil, isRequired: false),
      results: [.init(.ok, "What the app expects.")],
      errors: [.unauthorized, .unsupportedMediaType, .insufficientStorage])
    operation.hasOtherParameters = true
    var route = Route(method, Self.reports + "/{format}", .open, operation, bodyLimit: nil) {
      [storage, owners, secretKeys = keys] call in
      guard let format = PhoneFormat(rawValue: call.parameters.first ?? ""), method == .post || format == .osmAnd
      else { throw APIError.notFound("expected one of \(names)") }
      let type = try call.requireType(["application/json"], or: ["application/x-www-form-urlencoded", "text/plain"])
      let body = method == .get ? [] : try await call.body()
      let isForm = format == .osmAnd && (type == "application/x-www-form-urlencoded" || body.allSatisfy { $0 <= 0x20 })
      var parameters = call.query.all
      if isForm, let text = String(validating: body, as: UTF8.self) {
        parameters += try QueryParameters(Substring(text.filter { !$0.isNewline }), known: nil).all
      }
      let receiver = PhoneReceiver(storage: storage, keys: secretKeys)
      let keys = PhoneReceiver.keys(
        authorization: call.request.headers[.authorization], parameters: parameters, json: isForm ? [] : body)
      let sender = try await owners.first(of: keys, from: call.client.address, owner: Self.owner) { key in
        try await receiver.sender(key: key)
      }
      guard let sender else { throw Self.unknown(format, isForm: isForm) }
      do {
        let now = WallClock.now
        // If the key was in the body, the request belongs to the tenant from here on.
        _ = try await StorageCaller.$current.withValue(Self.owner(sender).storageCaller) {
          isForm
            ? try await receiver.receive(parameters: parameters, from: sender, at: now)
            : try await receiver.receive(json: body, format, from: sender, at: now)
        }
      } catch let error as PhoneReportError {
        throw APIError.badRequest("body: \(error.message)")
      }
      return Answer(json: Array(format.answer.utf8))
    }
    route.owner = { [storage, owners, keys] headers, _, query, address in
      let receiver = PhoneReceiver(storage: storage, keys: keys)
      let texts = PhoneReceiver.keys(authorization: headers[.authorization], parameters: query.all, json: [])
      return try await owners.first(of: texts, from: address, owner: Self.owner) { key in
        try await receiver.sender(key: key)
      }.map(Self.owner)
    }
    return route
  }

  private static func owner(_ sender: PhoneReceiver.Sender) -> CredentialOwner {
    CredentialOwner(tenant: sender.tenant, key: Secret.hash(of: sender.phone.id.string))
  }

  /// Returns the error for a request without the key of a phone. Traccar Client stops sending only if it receives the
  /// status that Traccar's own server uses.
  private static func unknown(_ format: PhoneFormat, isForm: Bool) -> APIError {
    switch (format, isForm) {
    case (.osmAnd, true): .badRequest("no phone has this key")
    case (.osmAnd, false): .notFound("no phone has this key")
    default:
      APIError(
        .unauthorized, "unauthorized", "expected the key of a phone as the password (Basic), or as a bearer token")
    }
  }
}

extension PhoneFormat {
  /// The body of the answer that the app expects. Without it, the app Overland sends its positions again.
  fileprivate var answer: String {
    switch self {
    case .ownTracks: "[]"
    case .overland: #"{"result":"ok"}"#
    case .osmAnd, .homeAssistant: "{}"
    }
  }
}
