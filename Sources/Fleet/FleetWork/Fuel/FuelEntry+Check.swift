import FleetDomain
import Telemetry

extension FuelEntry {
  /// The comparison of a fill with what the vehicle reported.
  public struct Check: NestedValue {
    public enum Verdict: String, FieldChoice, Sendable {
      /// The rise of the level matches the quantity of the fill.
      case agrees
      /// The level rose, but by less than the quantity.
      case less
      /// The level rose by more than the quantity.
      case more
      /// The level did not rise.
      case none
      /// The vehicle reported too few levels, or the size of its tank is unknown.
      case noData
    }

    public var tankRise = Verdict.noData
    /// The quantity of the fill, L.
    public var quantity = 0.0
    /// The greatest rise of the level, L; `nil` if unknown.
    public var risenLitres: Double?
    /// ``risenLitres`` minus ``quantity``, L; `nil` if unknown.
    public var difference: Double?
    /// The time at which the level had risen; `nil` if unknown, or if the level did not rise.
    public var risenAt: Timestamp?
    /// Whether the vehicle stood still at the time of the fill; `nil` if it reported no speed near this time.
    public var positionAgrees: Bool?
    /// Number of levels that the vehicle reported.
    public var levels: Int64 = 0

    public init() {}

    public static let fields: [Field<Check>] = [
      Field("tankRise", \.tankRise).required(), Field("quantity", \.quantity).required(),
      Field("risenLitres", \.risenLitres), Field("difference", \.difference), Field("risenAt", \.risenAt),
      Field("positionAgrees", \.positionAgrees), Field("levels", \.levels).required(),
    ]
  }

  /// Whether the entry is compared with the fuel level of the vehicle. Batteries have another signal, and AdBlue has
  /// its own tank. The level of a CNG tank is a pressure.
  public var isComparedWithTank: Bool { [.petrol, .diesel, .lpg].contains(energy) }
}

extension FleetTransaction {
  /// Requests the check of a fuel entry that is new or has changed.
  public func requestCheck(of entry: Stored<FuelEntry>) throws(ThingError) {
    var value = entry.value
    if value.isComparedWithTank {
      value.checkAt = now
    } else {
      (value.check, value.checkAt) = (nil, nil)
    }
    try refresh(entry, to: value)
  }

  /// Requests the checks of a vehicle's fuel entries near a trip, because the trip's telemetry has arrived.
  ///
  /// - Parameters:
  ///   - start: the start of the trip.
  ///   - end: the end of the trip.
  ///   - reach: a fill is near the trip if it happened during the trip, or at most this time before or after it, s. The
  ///     check of a fill uses the telemetry of this time before and after the fill.
  public func requestFuelChecks(
    ofVehicle vehicle: String, from start: Timestamp, to end: Timestamp, within reach: Int
  ) throws(ThingError) {
    var query = ThingQuery<FuelEntry>(
      .oneOf(key: "vehicleId", [.text(vehicle)]), .atLeast(key: "at", start.adding(seconds: -reach).json),
      .atMost(key: "at", end.adding(seconds: reach).json))
    query.limit = 100
    for entry in try list(query).items where entry.value.isComparedWithTank { try requestCheck(of: entry) }
  }
}
