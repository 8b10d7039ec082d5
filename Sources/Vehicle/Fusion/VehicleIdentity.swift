/// The vehicle's data in `vehicle` records, and the ID that all records contain as `vehicleId`.
struct VehicleIdentity {
  /// The kind of change since the last `vehicle` record.
  enum PendingChange: Equatable {
    case none
    /// A detail other than the VIN, for example the name of an ECU.
    case details
    case vin
  }

  /// Minimum time between two `vehicle` records with the same VIN, ns. ECUs report names, calibrations and the fuel
  /// type one after another, within seconds.
  static let detailsDelay: Int64 = 10_000_000_000

  /// The VIN as the ECU sent it; empty if unknown.
  var vin: [UInt8] = []
  /// The VIN as text; empty if unknown.
  var vinText = ""
  /// The vehicle's ID in records.
  var id: String
  var pendingChange = PendingChange.none
  /// Time of the last `vehicle` record; `.min / 2` if there was none.
  var recordedAt: Int64 = .min / 2
  /// Whether ``Fusion/vehicleLost()`` was called. If so, the data of an ECU that has not answered since
  /// (``ECUState/reported`` is 0) may be those of another vehicle.
  var wasLost = false
  /// Whether ``Fusion/vehicleUnnamed(at:into:)`` was called since a VIN was last read. If so, the next VIN is that of
  /// another vehicle.
  var isUnnamed = false
  var protocolName: String?
  /// The name of the protocol that the command ATSP has selected; `nil` if it has selected none. Records contain it
  /// until the adapter reports the protocol in use.
  var protocolSetting: String?
  /// The vehicle's code of PID 51 (fuel type); `nil` if unknown.
  var fuelTypeCode: Double?
  /// The vehicle's code of PID 1C (OBD standard); `nil` if unknown.
  var obdStandardCode: Double?

  init(id: String) { self.id = id }

  /// Remembers that a detail other than the VIN became known, which a `vehicle` record must report.
  mutating func addDetails() {
    if pendingChange == .none { pendingChange = .details }
  }

  /// Whether a `vehicle` record is due. After a change of the VIN, it is due immediately. After a change of other
  /// details, it is due after ``detailsDelay``, so that one record contains all details.
  func isRecordDue(at time: Int64) -> Bool {
    switch pendingChange {
    case .none: false
    case .details: time - recordedAt >= Self.detailsDelay
    case .vin: true
    }
  }
}
