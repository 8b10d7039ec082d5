import Telemetry

/// A gateway that may send records, with its last reported state.
public struct Gateway: Equatable, Sendable {
  /// The `gatewayId` of its records.
  public var id: String
  /// The vehicles that it may write as, by id or VIN. If empty: the vehicles that it was the first to report. It may
  /// always write as its own ``id``: its records have that `vehicleId` until it knows its vehicle, and `gap` records
  /// always have it.
  public var allowedVehicles: [String]
  public var addedAt: Timestamp
  /// The time when its current key was created.
  public var keyAt: Timestamp
  /// `nil` if its key is valid.
  public var revokedAt: Timestamp?
  /// `nil` if it was never seen.
  public var lastSeen: Timestamp?
  /// The number of records that it has still to send, as last reported.
  public var spoolDepth: Int64?
  /// The version of its program, as last reported.
  public var version: String?
  /// Id of the vehicle of its newest record, `gap` records not counted; `nil` if it has sent none with its key, or if
  /// that vehicle was removed.
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

/// The state that a gateway reported with a request.
public struct GatewayStatus: Equatable, Sendable {
  public var at: Timestamp
  /// `nil` if not reported; the stored value then stays.
  public var spoolDepth: Int64?
  /// `nil` if not reported; the stored value then stays.
  public var version: String?
  /// The vehicle of its newest record; `nil` if the request brought no record.
  public var vehicle: VehicleInUse?

  public init(at: Timestamp, spoolDepth: Int64? = nil, version: String? = nil, vehicle: VehicleInUse? = nil) {
    self.at = at
    self.spoolDepth = spoolDepth
    self.version = version
    self.vehicle = vehicle
  }
}

/// The vehicle that a gateway was in, and when.
public struct VehicleInUse: Equatable, Sendable {
  /// The vehicle's id or VIN, as the record says it.
  public var name: String
  /// The record's time, at most the time of its reception.
  public var at: Timestamp

  public init(name: String, at: Timestamp) {
    self.name = name
    self.at = at
  }

  /// Finds the vehicle of the newest stored record of a batch.
  ///
  /// `gap` records do not count: they always have the gateway's own id as their vehicle. Of records with the same time,
  /// the last one counts. A record without a time counts as one of `now`.
  ///
  /// - Parameters:
  ///   - outcomes: of the records, in their order.
  ///   - now: the time of reception.
  /// - Returns: `nil` if no record counts.
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
