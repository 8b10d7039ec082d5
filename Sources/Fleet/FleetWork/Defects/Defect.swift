import FleetDomain
import Telemetry

/// A defect of a vehicle, reported by a person, by an inspection, or by a trouble code.
public struct Defect: WorkThing {
  public enum Source: String, FieldChoice, Sendable { case inspection, driver, dtc, other }

  public enum Severity: String, FieldChoice, Sendable {
    case minor
    case major
    /// The vehicle cannot be assigned until the defect is repaired or dismissed.
    case unsafe
  }

  public enum Status: String, FieldChoice, Sendable {
    case open
    case acknowledged
    case repaired
    /// The repair was checked, or the trouble code has not come back.
    case verified
    /// A person decided that this is not a defect, or that it needs no repair.
    case dismissed
  }

  /// The last report of an ECU about the trouble code.
  public struct Report: NestedValue {
    public var ecu = ""
    public var isPresent = false
    /// The time of the first report with the current value of ``isPresent``.
    public var since = Timestamp(nanoseconds: 0)
    /// The time of the last report.
    public var at = Timestamp(nanoseconds: 0)

    public init() {}

    public static let fields: [Field<Report>] = [
      Field("ecu", \.ecu), Field("present", \.isPresent), Field("since", \.since), Field("at", \.at),
    ]
  }

  public var vehicle = ""
  /// The driver who reported the defect; `nil` if no driver reported it.
  public var driver: UUIDv7?
  public var source = Source.other
  public var severity = Severity.minor
  public var text = ""
  public var codes: [String] = []
  public var freezeFrame: JSON?
  public var photos: [UUIDv7] = []
  public var recordID: UUIDv7?
  public var status = Status.open
  public var dismissReason: String?
  /// The reason that a person gave for verifying the repair before enough trips had ended without the code; otherwise
  /// `nil`.
  public var verifyReason: String?
  /// The inspection item that failed; `nil` if the defect was not reported by an inspection.
  public var item: String?
  /// The signed inspection reports that contain the defect, in the order in which they were signed.
  public var inspectionIDs: [UUIDv7] = []
  /// The last report of each ECU about the trouble code.
  public var reports: [Report] = []
  /// Number of trips that ended without the trouble code since an ECU last reported it.
  public var tripsWithout: Int64 = 0
  /// The end of the last trip that is counted in ``tripsWithout``; `nil` if none is counted.
  public var countedUntil: Timestamp?

  public init() {}

  /// The maximum number of inspection reports that a defect names.
  static let mostInspections = 100

  /// Adds an inspection report that found the defect again. If there are then more than ``mostInspections`` reports,
  /// removes the second one, so that the first report and the newest ones remain.
  ///
  /// - Parameter old: the report that the new one corrects; `nil` if it corrects none.
  mutating func join(_ report: UUIDv7, replacing old: UUIDv7?) {
    inspectionIDs = inspectionIDs.filter { $0 != old } + [report]
    if inspectionIDs.count > Self.mostInspections { inspectionIDs.remove(at: 1) }
  }

  public var vehicleID: String? { vehicle }
  public var driverID: UUIDv7? {
    get { driver }
    set { driver = newValue }
  }

  /// Whether an ECU reports the trouble code now.
  public var isPresent: Bool { reports.contains(where: \.isPresent) }

  /// The time since which no ECU reports the trouble code; `nil` if an ECU reports it now, or if there are no reports.
  public var awaySince: Timestamp? { isPresent ? nil : reports.map(\.since).max() }

  public static var filesKey: String { "photos" }
  public var usedFiles: [UUIDv7] { photos }

  public static let names = KindNames(one: "defect", many: "defects")
  public static var listTime: ListTime? { .at("createdAt") }
  public static let fields: [Field<Defect>] = [
    Field("vehicleId", \.vehicle).refers(to: .vehicle).required().settable(by: .creation).filterable(as: "vehicle"),
    Field("driverId", \.driver).refers(to: .driver).settable(by: .creation).filledIn().filterable(as: "driver"),
    Field("source", \.source).settable(by: .creation).filledIn().filterable(),
    Field("severity", \.severity).filterable().sortable(),
    Field("text", \.text) { text throws(FieldError) in
      try TextRules.long(text)
    }.required().textSearched(),
    Field("dtcs", \.codes) { codes throws(FieldError) in
      guard codes.count <= 64, Set(codes).count == codes.count,
        codes.allSatisfy({ (1...16).contains($0.utf8.count) && NameRules.isVisible($0) })
      else { throw FieldError("", "expected at most 64 codes of 1 to 16 bytes, each once") }
    }.settable(by: .creation),
    Field("freezeFrame", \.freezeFrame).settable(by: .server),
    Field("photos", \.photos) { photos throws(FieldError) in
      guard photos.count <= 100 else { throw FieldError("", "expected at most 100 photos") }
    }.refers(to: .file),
    Field("recordId", \.recordID).settable(by: .server).filterable(as: "record"),
    Field("status", \.status).settable(by: .server).filterable().sortable(),
    Field("dismissReason", \.dismissReason).settable(by: .server),
    Field("verifyReason", \.verifyReason).settable(by: .server),
    Field("item", \.item).settable(by: .server).filterable(),
    Field("inspectionIds", \.inspectionIDs).settable(by: .server),
    Field("reports", \.reports).settable(by: .live),
    Field("tripsWithout", \.tripsWithout).settable(by: .live),
    Field("countedUntil", \.countedUntil).settable(by: .live),
  ]
}
