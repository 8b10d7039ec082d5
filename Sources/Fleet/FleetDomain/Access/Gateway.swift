import Telemetry

/// A gateway that may send records, with its last reported state.
public struct Gateway: Equatable, Sendable {
  /// The ID of the gateway, which its records contain as `gatewayId`.
  public var id: String
  /// The vehicles for which the gateway may send records, by ID or VIN. If the list is empty, it may send records for
  /// all vehicles whose first record it sent. It may always use its own ``id`` as the vehicle's ID. Its records have
  /// this `vehicleId` until the vehicle is known, and `gap` records always have it.
  public var allowedVehicles: [String]
  public var addedAt: Timestamp
  /// The time when its current key was created.
  public var keyAt: Timestamp
  /// Time at which the key was revoked; `nil` if the key is valid.
  public var revokedAt: Timestamp?
  /// Time of the last request; `nil` if there was none.
  public var lastSeen: Timestamp?
  /// The number of records in its spool that are not sent yet, as last reported.
  public var spoolDepth: Int64?
  /// The version of its program, as last reported.
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
  /// Number of unsent records; `nil` if not reported. The stored value then does not change.
  public var spoolDepth: Int64?
  /// Version of the program; `nil` if not reported. The stored value then does not change.
  public var version: String?
  /// The vehicle of the newest record in the request; `nil` if the request contains no record.
  public var vehicle: VehicleInUse?

  public init(at: Timestamp, spoolDepth: Int64? = nil, version: String? = nil, vehicle: VehicleInUse? = nil) {
    self.at = at
    self.spoolDepth = spoolDepth
    self.version = version
    self.vehicle = vehicle
  }
}

/// The vehicle that a gateway uses now, with the time of the record that shows this.
public struct VehicleInUse: Equatable, Sendable {
  /// The vehicle's ID or VIN, as in the record.
  public var name: String
  /// The record's time; if that is later than the record's reception, the time of the reception.
  public var at: Timestamp

  public init(name: String, at: Timestamp) {
    self.name = name
    self.at = at
  }

  /// Finds the vehicle of the newest record in a batch that was stored.
  ///
  /// `gap` records are ignored, because their vehicle is always the gateway itself. If several records have the same
  /// time, the last one is used. A record without a time is treated as one of `now`.
  ///
  /// - Parameters:
  ///   - outcomes: the results of the records, in the same order.
  ///   - now: the time of reception.
  /// - Returns: `nil` if no other record than `gap` records was stored.
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
