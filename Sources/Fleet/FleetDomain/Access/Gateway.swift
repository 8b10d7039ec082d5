import Telemetry

/// A box in a vehicle that may send records, with what it last said of itself.
public struct Gateway: Equatable, Sendable {
  /// `gatewayId` of its records.
  public var id: String
  /// Vehicles it may write as, by id or VIN; empty: those that it has registered first. As its own ``id`` it always may:
  /// so its records are called until it knows its vehicle, and those that are about no vehicle.
  public var allowedVehicles: [String]
  public var addedAt: Timestamp
  /// When its present key was made.
  public var keyAt: Timestamp
  /// Nil while its key is good.
  public var revokedAt: Timestamp?
  /// Nil: never.
  public var lastSeen: Timestamp?
  /// Records that it has and we have not, as it said last.
  public var spoolDepth: Int64?
  /// Its program's version, as it said last.
  public var version: String?

  public init(
    id: String, allowedVehicles: [String], addedAt: Timestamp, keyAt: Timestamp, revokedAt: Timestamp? = nil,
    lastSeen: Timestamp? = nil, spoolDepth: Int64? = nil, version: String? = nil
  ) {
    self.id = id
    self.allowedVehicles = allowedVehicles
    self.addedAt = addedAt
    self.keyAt = keyAt
    self.revokedAt = revokedAt
    self.lastSeen = lastSeen
    self.spoolDepth = spoolDepth
    self.version = version
  }
}

/// What a gateway said of itself with a request.
public struct GatewaySighting: Equatable, Sendable {
  public var at: Timestamp
  /// Nil: not said; what is known stays.
  public var spoolDepth: Int64?
  /// Nil: not said; what is known stays.
  public var version: String?

  public init(at: Timestamp, spoolDepth: Int64? = nil, version: String? = nil) {
    self.at = at
    self.spoolDepth = spoolDepth
    self.version = version
  }
}
