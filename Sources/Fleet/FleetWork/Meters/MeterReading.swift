import FleetDomain
import Telemetry

/// A reading of a vehicle's odometer or hour meter. A wrong reading is marked as void. A reading that is part of
/// another thing, such as a journey, changes with that thing. No other reading is ever changed or removed.
///
/// The server decides about each reading whether it is *used*. Only used readings determine the vehicle's odometer,
/// engine hours and services. A reading is not used if it is void, if it contradicts earlier readings (``Flag``), or if
/// it is the previous reading rounded down.
public struct MeterReading: VehicleThing {
  /// The origin of a reading.
  public enum Source: String, FieldChoice, Sendable {
    case gateway, journey, fuel, inspection, service, manual
    case imported = "import"
  }

  /// The reason why a reading is not used.
  public enum Flag: String, FieldChoice, Sendable {
    /// The reading is older than the newest used reading.
    case outOfOrder
    /// The reading is lower than the previous one.
    case backward
    /// The increase since the previous reading is impossible.
    case tooFast
    /// The reading is in metres instead of kilometres, or the other way round.
    case wrongUnit
  }

  /// The event of a journey at which a reading was taken: its start or its end.
  public enum Part: String, FieldChoice, Sendable { case start, end }

  public var vehicle = ""
  public var at = Timestamp(nanoseconds: 0)
  /// Reading of the odometer, km; `nil` if the hour meter was read. Either this or ``engineHours`` has a value.
  public var odometer: Double?
  /// Reading of the hour meter, h; `nil` if the odometer was read.
  public var engineHours: Double?
  public var source = Source.manual
  /// Whether the odometer or hour meter was replaced after the previous reading. If `true`, this is the first reading
  /// of the new one.
  public var isReplaced = false
  /// Only for a replacement that was entered late, that is, after readings of the new odometer or hour meter: the
  /// creation time of the first of these readings. The replacement is judged immediately before that reading. `nil` for
  /// all other readings.
  public var judgedFrom: Timestamp?
  public var isVoid = false
  public var notes: String?
  /// The journey, fuel entry, inspection or maintenance record to which the reading belongs; `nil` if there is none.
  public var originID: UUIDv7?
  /// The event of the journey at which the reading was taken; `nil` if the reading belongs to no journey.
  public var part: Part?
  /// The reason why the reading is not used. `nil` if it is used, if it is void, or if it is the previous reading
  /// rounded down.
  public var flag: Flag?
  /// The total that all odometers (km) or all hour meters (h) of the vehicle have counted, including replaced ones;
  /// `nil` if the reading is not used.
  public var lifetime: Double?
  /// The figures of the comparison with the previous reading and with telemetry; `nil` for the first reading of an
  /// odometer or hour meter.
  public var comparison: Comparison?
  public var entered = EnteredAmounts()

  public init() {}

  public var vehicleID: String? { vehicle }

  public static let names = KindNames(one: "meterReading", many: "meter-readings")
  public static let fields: [Field<MeterReading>] = [
    Field("vehicleId", \.vehicle).refers(to: .vehicle).required().settable(by: .creation).filterable(as: "vehicle"),
    Field("at", \.at).settable(by: .creation).filledIn().sortable(),
    // The limit is higher than any odometer shows, so that a reading in metres can be stored and flagged.
    Field("odometer", \.odometer, in: .from(0, to: 9_999_999_999)).settable(by: .creation).sortable()
      .measured(.distance),
    Field("engineHours", \.engineHours, in: .from(0, to: 9_999_999)).settable(by: .creation).sortable(),
    Field("source", \.source).settable(by: .creation).filterable(),
    Field("replaced", \.isReplaced).settable(by: .creation).filterable(),
    Field("judgedFrom", \.judgedFrom).settable(by: .hidden),
    Field("void", \.isVoid).filterable(),
    Field("notes", \.notes, TextRules.long).settable(by: .creation).textSearched(),
    Field("originId", \.originID).settable(by: .server).filterable(as: "origin"),
    Field("part", \.part).settable(by: .server),
    Field("flag", \.flag).settable(by: .live).filterable(),
    Field("lifetime", \.lifetime).settable(by: .live),
    Field("comparison", \.comparison).settable(by: .live),
    .entered(\.entered, of: ("odometer", .distance)).settable(by: .creation),
  ]
}
