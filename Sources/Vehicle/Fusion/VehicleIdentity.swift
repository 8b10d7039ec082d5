/// The vehicle's own data in `vehicle` records, and the ID under which all records name the vehicle.
struct VehicleIdentity {
  /// The kind of change since the last `vehicle` record.
  enum PendingChange: Equatable {
    case none
    /// A detail other than the VIN, for example the name of an ECU.
    case details
    case vin
  }

  /// Minimum time between two `vehicle` records with the same VIN, ns. It is needed because ECUs report names,
  /// calibrations and the fuel type one after another, within seconds.
  static let detailsDelay: Int64 = 10_000_000_000

  /// The VIN as the ECU sent it, and the same as text; empty if unknown.
  var vin: [UInt8] = []
  var vinText = ""
  /// The vehicle's ID in records.
  var id: String
  var pendingChange = PendingChange.none
  /// Time of the last `vehicle` record; `.min / 2` if there was none.
  var recordedAt: Int64 = .min / 2
  /// Whether ``Fusion/vehicleLost()`` was called. If so, data of an ECU that has not answered since
  /// (``ECUState/reported``) may be from another vehicle.
  var wasLost = false
  /// Whether ``Fusion/vehicleUnnamed(at:into:)`` was called. If so, the next VIN is that of another vehicle.
  var isUnnamed = false
  var protocolName: String?
  /// The name of the bus that the adapter was set to. It is used until the adapter reports a bus.
  var protocolSetting: String?
  /// Codes of PIDs 51 (fuel type) and 1C (OBD standard).
  var fuelTypeCode: Double?
  var obdStandardCode: Double?

  init(id: String) { self.id = id }

  /// Remembers that a detail other than the VIN became known.
  mutating func addDetails() {
    if pendingChange == .none { pendingChange = .details }
  }

  /// Whether a `vehicle` record is due. For a new VIN, it is due at once; for details, after a delay, so that one
  /// record contains all of them.
  func isRecordDue(at time: Int64) -> Bool {
    switch pendingChange {
    case .none: false
    case .details: time - recordedAt >= Self.detailsDelay
    case .vin: true
    }
  }
}
