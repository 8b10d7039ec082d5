import Telemetry

/// The vehicles and times whose records a caller may see.
///
/// A route derives the selection from its caller (`Call.selection(_:)` in `FleetAPI`) and passes it to the storage, in
/// a ``RecordQuery`` or with ``FleetStorage/latest(vehicle:within:tenant:)``:
///
///     query.selection = try await call.selection(storage)
///     let page = try await storage.records(query, tenant: tenant)
///
/// The storage reads only selected records, so that pages are usually full and no record is skipped. A route that reads
/// records or figures in another way checks each of them with ``contains(_:of:at:)``.
public struct VehicleSelection: Equatable, Sendable {
  /// The fleets whose vehicles are selected, for all times; `nil` for all vehicles of the tenant.
  public var fleets: Set<UUIDv7>?
  /// Vehicles that are selected in addition, each only for a period of time. Periods may overlap.
  public var windows: [VehicleWindow]
  /// Vehicles, each with a period in which its records are not selected, for example because a driver uses the vehicle
  /// privately. These periods take precedence over ``fleets`` and ``windows``. Periods may overlap. The vehicles'
  /// records without a time are not selected either, because they may belong to one of the periods.
  public var excluded: [VehicleWindow]

  public init(fleets: Set<UUIDv7>?, windows: [VehicleWindow] = [], excluded: [VehicleWindow] = []) {
    self.fleets = fleets
    self.windows = fleets == nil ? [] : windows
    self.excluded = excluded
  }

  /// All vehicles of the tenant.
  public static let all = VehicleSelection(fleets: nil)

  public var isAll: Bool { fleets == nil && excluded.isEmpty }

  /// Returns a copy that has only those ``windows`` that contain `time`.
  public func lasting(at time: Timestamp) -> VehicleSelection {
    VehicleSelection(fleets: fleets, windows: windows.filter { $0.contains(time) }, excluded: excluded)
  }

  /// Whether a vehicle is selected for all times, except the times in ``excluded``.
  public func isEverywhere(_ vehicle: String, of fleet: UUIDv7?) -> Bool {
    guard let fleets else { return true }
    return fleet.map(fleets.contains) ?? false
  }

  /// Whether a record is selected.
  ///
  /// - Parameters:
  ///   - vehicle: the id of the record's vehicle.
  ///   - fleet: the vehicle's fleet; `nil` if it is in none.
  ///   - time: the record's time; `nil` if unknown. A record without a time is in no window.
  public func contains(_ vehicle: String, of fleet: UUIDv7?, at time: Timestamp?) -> Bool {
    let isExcluded = excluded.contains { $0.vehicle == vehicle && (time.map($0.contains) ?? true) }
    if isExcluded { return false }
    guard let fleets else { return true }
    if let fleet, fleets.contains(fleet) { return true }
    guard let time else { return false }
    return windows.contains { $0.vehicle == vehicle && $0.contains(time) }
  }
}
