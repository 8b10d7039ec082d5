/// The identity of the vehicle in records, and the content of its `vehicle` record except the ECUs.
struct VehicleIdentity {
  /// Changes that the last `vehicle` record does not contain.
  enum PendingChange: Equatable {
    case none
    /// Something other than the VIN, for example the name of an ECU.
    case details
    case vin
  }

  /// Shortest time between two records of the same VIN, ns. ECUs report names, calibrations and the fuel type within
  /// seconds, one after another.
  static let detailsDelay: Int64 = 10_000_000_000

  /// The VIN as the ECU sent it, and as text; empty if unknown.
  var vin: [UInt8] = []
  var vinText = ""
  /// Vehicle ID in records.
  var id: String
  var pendingChange = PendingChange.none
  /// Time of the last record; `.min / 2` if there was none.
  var recordedAt: Int64 = .min / 2
  /// Whether ``Fusion/vehicleLost()`` was called: data older than ``ECUState/reported`` may be from another vehicle.
  var wasLost = false
  /// Whether ``Fusion/vehicleUnnamed(at:into:)`` was called: the next VIN is then another vehicle's.
  var isUnnamed = false
  var protocolName: String?
  /// The bus that the adapter was set to; used while the adapter does not report one.
  var protocolSetting: String?
  /// Codes of PIDs 51 and 1C.
  var fuelTypeCode: Double?
  var obdStandardCode: Double?

  init(id: String) { self.id = id }

  /// Records that a detail became known.
  mutating func addDetails() {
    if pendingChange == .none { pendingChange = .details }
  }

  /// Whether a record should be made: at once for another VIN, later for details, so that one record has all of them.
  func isRecordDue(at time: Int64) -> Bool {
    switch pendingChange {
    case .none: false
    case .details: time - recordedAt >= Self.detailsDelay
    case .vin: true
    }
  }
}
