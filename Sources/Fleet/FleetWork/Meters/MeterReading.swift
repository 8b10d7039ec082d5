import FleetDomain
import Telemetry

/// A reading of a vehicle's odometer or hour meter. A wrong one is made void. A reading that another thing states, such
/// as a journey, is corrected with that thing; no other reading is ever changed or removed.
public struct MeterReading: VehicleThing {
  /// Where the reading comes from.
  public enum Source: String, FieldChoice, Sendable {
    case gateway, journey, fuel, inspection, service, manual
    case imported = "import"
  }

  /// The reason why a reading is not used.
  public enum Flag: String, FieldChoice, Sendable {
    /// Older than the newest reading that is used.
    case outOfOrder
    /// Lower than the reading before.
    case backward
    /// More than a vehicle can drive or run since the reading before.
    case tooFast
    /// Metres instead of kilometres, or the other way round.
    case wrongUnit
  }

  /// Which reading of a journey it is.
  public enum Part: String, FieldChoice, Sendable { case start, end }

  public var vehicle = ""
  public var at = Timestamp(nanoseconds: 0)
  /// km. Either this or ``engineHours`` has a value.
  public var odometer: Double?
  /// h.
  public var engineHours: Double?
  public var source = Source.manual
  /// Whether the instrument was replaced since the reading before. This is then the first reading of the new one.
  public var isReplaced = false
  public var isVoid = false
  public var notes: String?
  /// The journey, fuel entry, inspection or maintenance record that states it; `nil` if there is none.
  public var originID: UUIDv7?
  /// `nil` if the origin states one reading of the meter.
  public var part: Part?
  /// `nil` if it is used, void, or the reading before, rounded down.
  public var flag: Flag?
  /// The distance or time that all instruments have counted; `nil` if the reading is not used.
  public var lifetime: Double?

  public init() {}

  public var vehicleID: String? { vehicle }

  public static let names = KindNames(one: "meterReading", many: "meter-readings")
  public static let fields: [Field<MeterReading>] = [
    Field("vehicleId", \.vehicle).required().settable(by: .creation).filterable(as: "vehicle"),
    Field("at", \.at).settable(by: .creation).filledIn().sortable(),
    // Higher than any odometer shows, so that a reading in metres is stored and flagged.
    Field("odometer", \.odometer, in: .from(0, to: 9_999_999_999)).settable(by: .creation).sortable(),
    Field("engineHours", \.engineHours, in: .from(0, to: 9_999_999)).settable(by: .creation).sortable(),
    Field("source", \.source).settable(by: .creation).filterable(),
    Field("replaced", \.isReplaced).settable(by: .creation).filterable(),
    Field("void", \.isVoid).filterable(),
    Field("notes", \.notes, TextRules.long).settable(by: .creation),
    Field("originId", \.originID).settable(by: .server).filterable(as: "origin"),
    Field("part", \.part).settable(by: .server),
    Field("flag", \.flag).settable(by: .live).filterable(),
    Field("lifetime", \.lifetime).settable(by: .live),
  ]
}
