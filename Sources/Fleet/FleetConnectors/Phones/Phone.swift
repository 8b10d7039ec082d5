import FleetDomain
import Telemetry

/// A driver's phone whose app reports positions.
///
/// Positions are stored only while the driver is on a journey, and only if the driver has allowed it.
public struct Phone: Kind {
  public var driverID: UUIDv7?
  public var name = ""
  /// Whether positions of the phone may be stored. A driver who has an account decides this.
  public var sharesPosition = false
  /// The SHA-256 hash of the phone's key in hexadecimal digits; `nil` if the phone has no key.
  public var keyHash: String?
  /// The key with which OwnTracks encrypts messages; it is itself stored encrypted. `nil` if messages are not
  /// encrypted.
  public var messageKey: String?
  public var lastSeenAt: Timestamp?
  /// The number of positions that were stored.
  public var stored: Int64 = 0
  /// For each reason, the number of positions that were not stored.
  public var ignored = JSON.object([:])

  public init() {}

  public static let names = KindNames(one: "phone", many: "phones")
  public static let fields: [Field<Phone>] = [
    Field("driverId", \.driverID).refers(to: .driver).settable(by: .creation).filledIn().filterable(as: "driver"),
    Field("name", \.name, TextRules.shown).required().sortable().textSearched(),
    Field("sharesPosition", \.sharesPosition).filterable(),
    Field("keyHash", \.keyHash).settable(by: .hidden),
    Field("messageKey", \.messageKey).settable(by: .hidden),
    Field("lastSeenAt", \.lastSeenAt).settable(by: .live),
    Field("stored", \.stored).settable(by: .live),
    Field("ignored", \.ignored).settable(by: .live).schema(
      #"{"description":"What was not stored, by reason.","type":"object","additionalProperties":{"type":"integer"}}"#),
  ]

  /// The gateway ID in the records of a phone.
  static func gatewayName(_ id: UUIDv7) -> String { "phone-\(id.string)" }
}

/// A position of a phone, in the units of the fleet.
struct PhonePosition: Equatable, Sendable {
  var time: Timestamp
  /// `latitude`, `longitude`, and the other values that the app has sent.
  var values: [String: JSON]

  /// Creates a position; `nil` if it is impossible.
  ///
  /// - Parameters:
  ///   - speed: km/h; `nil` or negative if unknown.
  ///   - heading: °; `nil` or negative if unknown.
  ///   - accuracy: radius of the uncertainty, m; `nil` or negative if unknown.
  init?(
    time: Timestamp, latitude: Double?, longitude: Double?, speed: Double? = nil, heading: Double? = nil,
    altitude: Double? = nil, accuracy: Double? = nil, battery: Double? = nil
  ) {
    guard var values = SourcePosition.values(latitude: latitude, longitude: longitude) else { return nil }
    values["gpsSpeed"] = SourcePosition.atLeastZero(speed).flatMap { $0 <= 1_500 ? Units.rounded($0).json : nil }
    values["heading"] = SourcePosition.heading(heading)
    values["altitude"] = altitude.flatMap { (-1_000...20_000).contains($0) ? $0.json : nil }
    values["accuracy"] = SourcePosition.atLeastZero(accuracy).flatMap { $0 > 0 ? $0.json : nil }
    values["phoneBattery"] = battery.flatMap { (0...100).contains($0) ? Units.rounded($0).json : nil }
    (self.time, self.values) = (time, values)
  }
}

/// The content of one request of an app.
struct PhoneReport: Equatable, Sendable {
  var positions: [PhonePosition] = []
  /// For each reason, the number of items in the request that were ignored.
  var ignored: [String: Int] = [:]

  mutating func ignore(_ reason: String) { ignored[reason, default: 0] += 1 }

  mutating func add(_ position: PhonePosition?) {
    if let position { positions.append(position) } else { ignore("position that cannot be true") }
  }
}

/// The reason why a report cannot be read.
public struct PhoneReportError: Error, Equatable, Sendable {
  public let message: String
}
