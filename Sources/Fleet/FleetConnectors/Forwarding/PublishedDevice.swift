import FleetDomain
import Telemetry

/// The entities of one vehicle that a forward of the format `homeAssistant` has published. The retained messages of
/// these entities stay on the broker until they are cleared.
///
/// An entity is stored before its first message is published. Therefore every message that the broker may have can be
/// cleared, even if the server stopped in the meantime or another server publishes now.
public struct PublishedDevice: Kind {
  public var forwardID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var vehicle = ""
  /// The names of the entities (``HomeAssistantTopics/entity(_:_:)``), an array of texts.
  public var entities = JSON.array([])

  public init() {}

  public static let isAudited = false
  public static let names = KindNames(one: "publishedDevice", many: "published-devices")
  public static let fields: [Field<PublishedDevice>] = [
    Field("forwardId", \.forwardID).settable(by: .server), Field("vehicleId", \.vehicle).settable(by: .server),
    Field("entities", \.entities).settable(by: .server),
  ]

  /// Returns a query for the devices of a forward.
  ///
  /// - Parameters:
  ///   - vehicles: the vehicles whose devices are returned; `nil` for all.
  ///   - limit: maximum number of devices on a page.
  static func query(
    of forward: UUIDv7, _ vehicles: [String]? = nil, limit: Int = 1_000
  ) -> ThingQuery<PublishedDevice> {
    var query = ThingQuery<PublishedDevice>(.oneOf(key: "forwardId", [forward.json]), limit: limit)
    if let vehicles { query.conditions.append(.oneOf(key: "vehicleId", vehicles.map { .text($0) })) }
    return query
  }
}

extension FleetView {
  /// Returns whether a broker may have retained messages of a forward.
  public func hasPublished(_ forward: UUIDv7) throws(ThingError) -> Bool {
    try first(PublishedDevice.query(of: forward)) != nil
  }
}

extension FleetTransaction {
  /// Ends a forward. If a broker may have retained messages of it, the forward remains until a server has cleared these
  /// messages. Servers try this until ``Forward/removeBy``. A forward that is ended for the second time is removed
  /// immediately.
  ///
  /// - Returns: whether the forward was removed.
  public func end(_ forward: Stored<Forward>) throws(ThingError) -> Bool {
    let progress = try find(forward.id, ForwardProgress.self)
    if forward.value.removeBy == nil, let progress, try hasPublished(forward.id) {
      var ending = forward.value
      (ending.isActive, ending.removeBy) = (false, now.adding(seconds: Forward.longestRemoval))
      try update(forward, to: ending, action: "end")
      var due = progress.value
      (due.nextAt, due.failures) = (now, 0)
      try update(progress, to: due, action: "end")
      return false
    }
    while true {
      let devices = try list(PublishedDevice.query(of: forward.id)).items
      for device in devices { try remove(device, action: "remove") }
      if devices.isEmpty { break }
    }
    if let progress { try remove(progress, action: "remove") }
    try remove(forward, action: "remove")
    return true
  }

  /// Adds the entities of vehicles that a forward is about to publish.
  ///
  /// - Parameter entities: for each vehicle, the names of all of its entities.
  func store(_ entities: [String: Set<String>], of forward: UUIDv7) throws(ThingError) {
    for (vehicle, names) in entities.sorted(by: { $0.key < $1.key }) {
      var device = PublishedDevice()
      (device.forwardID, device.vehicle) = (forward, vehicle)
      device.entities = .array(names.sorted().map { .text($0) })
      if let known = try first(PublishedDevice.query(of: forward, [vehicle])) {
        try update(known, to: device, action: "publish")
      } else {
        try insert(device)
      }
    }
  }
}
