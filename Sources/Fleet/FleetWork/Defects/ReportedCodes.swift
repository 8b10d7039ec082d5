import FleetDomain
import Telemetry

/// For each ECU of a vehicle, the time of the newest report of trouble codes that was processed. This thing has the
/// same ID as the vehicle.
public struct ReportedCodes: Kind {
  /// The newest report of an ECU.
  public struct Newest: NestedValue {
    /// The name of the ECU.
    public var ecu = ""
    public var at = Timestamp(nanoseconds: 0)

    public init() {}

    public static let fields: [Field<Newest>] = [Field("ecu", \.ecu), Field("at", \.at)]
  }

  public var vehicle = ""
  /// The newest reports, at most ``Defect/mostReports``.
  public var newest: [Newest] = []

  public init() {}

  public static let isAudited = false
  public static let names = KindNames(one: "reportedCodes", many: "reported-codes")
  public static let fields: [Field<ReportedCodes>] = [
    Field("vehicleId", \.vehicle).settable(by: .server), Field("newest", \.newest).settable(by: .server),
  ]
}

extension FleetTransaction {
  /// Stores the time of a report if it is the newest one of its ECU.
  ///
  /// - Returns: whether no newer report of the ECU was processed before.
  func isNewest(_ report: TroubleReport, of vehicle: Stored<Vehicle>) throws(ThingError) -> Bool {
    let stored = try find(vehicle.id, ReportedCodes.self)
    var codes = stored?.value ?? ReportedCodes()
    if let index = codes.newest.firstIndex(where: { $0.ecu == report.ecu }) {
      guard report.at >= codes.newest[index].at else { return false }
      codes.newest[index].at = report.at
    } else {
      // A hostile gateway may invent names of ECUs. If there are too many, the ECU whose last report is the oldest is
      // removed.
      if codes.newest.count >= Defect.mostReports,
        let oldest = codes.newest.indices.min(by: { codes.newest[$0].at < codes.newest[$1].at })
      {
        codes.newest.remove(at: oldest)
      }
      var new = ReportedCodes.Newest()
      (new.ecu, new.at) = (report.ecu, report.at)
      codes.newest.append(new)
    }
    if let stored {
      try update(stored, to: codes, action: "report")
    } else {
      codes.vehicle = vehicle.value.id
      try insert(codes, id: vehicle.id, action: "report")
    }
    return true
  }
}
