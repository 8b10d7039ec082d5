import Telemetry

/// A gateway that may send records, with its last reported state.
public struct Gateway: Equatable, Sendable {
  /// The ID of the gateway, which its records contain as `gatewayId`.
  public var id: String
  /// The vehicles, by ID or VIN, for which the gateway may send records. If the list is empty, the gateway may send
  /// records for new vehicles and for vehicles whose first record it sent. The gateway's own ``id`` is always allowed
  /// as `vehicleId`: its records contain it until the vehicle is known, and `gap` records always contain it.
  public var allowedVehicles: [String]
  public var addedAt: Timestamp
  /// Time at which the gateway's current key was created.
  public var keyAt: Timestamp
  /// Time at which the key was revoked; `nil` if the key is valid.
  public var revokedAt: Timestamp?
  /// Time of the gateway's last request; `nil` if it has sent none.
  public var lastSeen: Timestamp?
  /// Number of unsent records in the gateway's spool, as last reported; `nil` if it was never reported.
  public var spoolDepth: Int64?
  /// Version of the gateway's program, as last reported; `nil` if it was never reported.
  public var version: String?
  /// ID of the vehicle of the gateway's newest record, except `gap` records. `nil` if the gateway has sent no such
  /// record with its current key, or if that vehicle was removed.
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
  /// Number of unsent records in the spool; `nil` if the request does not report it. The stored number then stays the
  /// same.
  public var spoolDepth: Int64?
  /// Version of the program; `nil` if the request does not report it. The stored version then stays the same.
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

/// The vehicle in which a gateway is used now, with the time of the record that shows this.
public struct VehicleInUse: Equatable, Sendable {
  /// The vehicle's ID or VIN, as in the record.
  public var name: String
  /// The record's time; if that is later than the record's reception, the time of the reception.
  public var at: Timestamp

  public init(name: String, at: Timestamp) {
    self.name = name
    self.at = at
  }

  /// Finds the vehicle of the newest stored record of a batch.
  ///
  /// `gap` records are ignored, because their vehicle is always the gateway itself. If several records have the same
  /// time, the last one is used. A record without a time counts as a record with the time `now`.
  ///
  /// - Parameters:
  ///   - outcomes: the results of the records, in the same order.
  ///   - now: the time of reception.
  /// - Returns: `nil` if no record was stored, or only `gap` records.
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
