import Telemetry

/// A gateway that may send records, with its last reported state.
public struct Gateway: Equatable, Sendable {
  /// The `gatewayId` of its records.
  public var id: String
  /// The vehicles that it may write as, by ID or VIN. If the list is empty, it may write as all vehicles of which it
  /// sent the first record. It may always write as its own ``id``, because its records have that `vehicleId` until the
  /// vehicle is known, and `gap` records always have it.
  public var allowedVehicles: [String]
  public var addedAt: Timestamp
  /// The time when its current key was created.
  public var keyAt: Timestamp
  /// Time at which the key was revoked; `nil` if the key is valid.
  public var revokedAt: Timestamp?
  /// Time of the last request; `nil` if there was none.
  public var lastSeen: Timestamp?
  /// The last reported number of records that it has not sent yet.
  public var spoolDepth: Int64?
  /// The last reported version of its program.
  public var version: String?
  /// ID of the vehicle of its newest record, except `gap` records. `nil` if it has sent none with its key, or if that
  /// vehicle was removed.
  public var currentVehicle: String?

  public init(
    id: String, allowedVehicles: [String], addedAt: Timestamp, keyAt: Timestamp, revokedAt: Timestamp? = nil,
    lastSeen: Timestamp? = nil, spoolDepth: Int64? = nil, version: String? = nil, currentVehicle: String? = nil
  ) {
    self.id = id
    self.allowedVehicles = allowedVehicles
    self.addedAt = addedAt
    self.keyAt = keyAt
    self.revokedAt = revokedAt
    self.lastSeen = lastSeen
    self.spoolDepth = spoolDepth
    self.version = version
    self.currentVehicle = currentVehicle
  }
}

/// The state that a gateway reports with a request.
public struct GatewayStatus: Equatable, Sendable {
  public var at: Timestamp
  /// Number of unsent records; `nil` if not reported, so that the stored value does not change.
  public var spoolDepth: Int64?
  /// Version of the program; `nil` if not reported, so that the stored value does not change.
  public var version: String?
  /// The vehicle of its newest record; `nil` if the request contains no record.
  public var vehicle: VehicleInUse?

  public init(at: Timestamp, spoolDepth: Int64? = nil, version: String? = nil, vehicle: VehicleInUse? = nil) {
    self.at = at
    self.spoolDepth = spoolDepth
    self.version = version
    self.vehicle = vehicle
  }
}

/// The vehicle of a gateway, with the time of the record that names it.
public struct VehicleInUse: Equatable, Sendable {
  /// The vehicle's ID or VIN, as in the record.
  public var name: String
  /// The record's time, at most the time of its reception.
  public var at: Timestamp

  public init(name: String, at: Timestamp) {
    self.name = name
    self.at = at
  }

  /// Finds the vehicle of the newest stored record of a batch.
  ///
  /// `gap` records are ignored, because their vehicle is always the gateway itself. If several records have the same
  /// time, the last one is used. A record without a time is treated as one of `now`.
  ///
  /// - Parameters:
  ///   - outcomes: the results of the records, in the same order.
  ///   - now: the time of reception.
  /// - Returns: `nil` if there is no such record.
  public init?(_ records: [IncomingRecord], _ outcomes: [IngestOutcome], at now: Timestamp) {
    var newest: VehicleInUse?
    for (record, outcome) in zip(records, outcomes) where record.kind != .known(.gap) {
      if case .refused = outcome { continue }
      let time = min(record.time ?? now, now)
      if newest.map({ $0.at <= time }) ?? true { newest = VehicleInUse(name: record.vehicleId, at: time) }
    }
    guard let newest else { return nil }
    self = newest
  }
}
