import FleetDomain
import Telemetry

/// The trouble codes that an ECU reported in one record.
public struct TroubleReport: Sendable {
  public let vehicle: String
  public let ecu: String
  public let at: Timestamp
  public let stored: [String]
  public let pending: [String]
  public let permanent: [String]
  public let isLampOn: Bool
  public let freezeFrame: JSON?
  /// The descriptions that the sender of the record added for its codes; `nil` if there are none.
  private let descriptions: JSON?

  /// Creates the report of a record.
  ///
  /// - Returns: `nil` if the record has no trouble codes, if its time is missing or in the future, or if the name of
  ///   the ECU is too long.
  public init?(_ record: StoredRecord) {
    guard record.recordClass == .known(.dtc), !record.isTimeAhead, let at = record.time,
      let json = try? JSON(parsing: record.body), case .array? = json["dtcCodes"]
    else { return nil }
    func codes(_ key: String) -> [String] {
      guard case .array(let codes)? = json[key] else { return [] }
      return codes.compactMap(\.textValue).filter { (1...16).contains($0.utf8.count) }
    }
    vehicle = record.vehicle
    ecu = json["ecu"]?.textValue ?? ""
    guard ecu.utf8.count <= Defect.longestECU else { return nil }
    self.at = at
    (stored, pending, permanent) = (codes("dtcCodes"), codes("pending"), codes("permanent"))
    isLampOn = json["mil"] == .bool(true)
    freezeFrame = json["freezeFrame"]
    descriptions = json["descriptions"]
  }

  /// Whether the ECU reports a code as stored, pending or permanent. A pending code means that the fault has occurred
  /// again. A permanent code means that the ECU has not confirmed the repair.
  func has(_ code: String) -> Bool { stored.contains(code) || pending.contains(code) || permanent.contains(code) }

  /// Returns the sender's description of a code; `nil` if there is none.
  func description(of code: String) -> String? {
    guard let text = descriptions?[code]?.textValue, (1...1_000).contains(text.utf8.count), NameRules.isVisible(text)
    else { return nil }
    return "\(code): \(text)"
  }

  /// Returns the freeze frame of a code; `nil` if the report does not contain it, or if it is longer than 16 KiB.
  func freezeFrame(of code: String) -> JSON? {
    guard let freezeFrame, freezeFrame["dtc"]?.textValue == code else { return nil }
    return freezeFrame.canonicalText.utf8.count <= 16_384 ? freezeFrame : nil
  }
}

extension Defect {
  /// Maximum number of defects that were added for trouble codes of one vehicle, in all states together.
  static let mostOfCodes = 500
  /// Maximum number of defects of one vehicle that were added for trouble codes and are neither verified nor dismissed.
  /// A real vehicle has far fewer. Without the limit, a faulty or hostile gateway could fill the list of defects.
  static let mostOpenOfCodes = 100
  /// Maximum number of ECUs whose reports are stored for one defect.
  static let mostReports = 32
  /// Maximum length of an ECU's name, bytes.
  static let longestECU = 64
}

extension FleetTransaction {
  /// Updates the defects of a vehicle from a report. A vehicle has one defect for each code. Adds a defect for each new
  /// stored code, unless the tenant has switched this off, and reopens a defect whose code came back. A report changes
  /// nothing if its ECU has sent a newer report, because the newer report contains the codes that are still present.
  ///
  /// - Parameter text: returns the description of a code. It is called for codes that the report does not describe.
  public func apply(_ report: TroubleReport, text: (String) -> String) throws(ThingError) {
    guard let vehicle = try vehicle(named: report.vehicle), vehicle.value.status != .retired,
      try isNewest(report, of: vehicle)
    else { return }
    var known: [String: Stored<Defect>] = [:]
    let defects = try codeDefects(of: vehicle.value.id, [])
    for defect in defects { if let code = defect.value.codes.first { known[code] = defect } }
    for defect in known.values.sorted(by: { $0.id.string < $1.id.string }) { try apply(report, to: defect) }
    guard try settings().value.opensCodeDefects else { return }
    let open = defects.count { ![.verified, .dismissed].contains($0.value.status) }
    let room = min(Defect.mostOfCodes - defects.count, Defect.mostOpenOfCodes - open)
    for code in Set(report.stored).subtracting(known.keys).sorted().prefix(max(room, 0)) {
      var defect = Defect()
      defect.vehicle = vehicle.value.id
      defect.source = .dtc
      defect.severity = report.isLampOn ? .major : .minor
      defect.text = report.description(of: code) ?? text(code)
      defect.codes = [code]
      defect.freezeFrame = report.freezeFrame(of: code)
      defect.reports = [Defect.Report(ecu: report.ecu, isPresent: true, since: report.at, at: report.at)]
      try announce(try insert(defect, id: nil, action: "report"), since: nil)
    }
  }

  private func apply(_ report: TroubleReport, to stored: Stored<Defect>) throws(ThingError) {
    guard let code = stored.value.codes.first else { return }
    var defect = stored.value
    let isPresent = report.has(code)
    if let index = defect.reports.firstIndex(where: { $0.ecu == report.ecu }) {
      guard report.at >= defect.reports[index].at else { return }
      if defect.reports[index].isPresent != isPresent { defect.reports[index].since = report.at }
      (defect.reports[index].isPresent, defect.reports[index].at) = (isPresent, report.at)
    } else if isPresent, defect.reports.count < Defect.mostReports {
      defect.reports.append(Defect.Report(ecu: report.ecu, isPresent: true, since: report.at, at: report.at))
    } else {
      return
    }
    if isPresent { defect.tripsWithout = 0 }
    let live = try refresh(stored, to: defect)
    let isBack = report.stored.contains(code) && !stored.value.isPresent
    // The ECU still stores the code in a report that is newer than the repair, so the repair did not remove the cause.
    let isStill =
      defect.status == .repaired && stored.value.isPresent && report.stored.contains(code)
      && report.at > stored.updatedAt
    if isBack && [.repaired, .verified, .dismissed].contains(defect.status) || isStill {
      defect.status = isStill ? .acknowledged : .open
      defect.dismissReason = nil
      defect.freezeFrame = report.freezeFrame(of: code) ?? defect.freezeFrame
      if try raises(report, code, stored) { defect.severity = .major }
      try announce(try update(live, to: defect, action: "reopen"), since: stored.value)
      return
    }
    var changed = live
    if defect.freezeFrame == nil, let frame = report.freezeFrame(of: code) {
      defect.freezeFrame = frame
      changed = try update(changed, to: defect, action: "change")
    }
    if [.open, .acknowledged].contains(defect.status), try raises(report, code, stored) {
      defect.severity = .major
      changed = try update(changed, to: defect, action: "raise")
      try emit(.troubleCodeFound, of: changed.id, defect, item: defect.text)
    }
  }

  /// Whether a report raises the severity of a defect from minor to major: its ECU stores the code and has the
  /// malfunction indicator lamp on, and no person has set the severity.
  private func raises(
    _ report: TroubleReport, _ code: String, _ stored: Stored<Defect>
  ) throws(ThingError) -> Bool {
    guard report.isLampOn, report.stored.contains(code), stored.value.severity == .minor else { return false }
    // The server itself never lowers a severity. Therefore, a person has set it if it has changed to minor.
    return try !audit(thing: stored.id, before: nil, limit: Int(Self.mostHistory)).contains { entry in
      entry.change?.before["severity"] != nil
    }
  }

  /// Counts a trip that has ended. The trip counts for each defect whose trouble code was absent before and during the
  /// trip. After ``TenantSettings/tripsToVerify`` such trips, the defect becomes verified.
  public func countTrip(from start: Timestamp, to end: Timestamp, vehicle: String) throws(ThingError) {
    let tripsToVerify = try settings().value.tripsToVerify
    for stored in try codeDefects(of: vehicle, [.open, .acknowledged, .repaired]) {
      guard let away = stored.value.awaySince, away <= start, stored.value.countedUntil ?? away <= start else {
        continue
      }
      var defect = stored.value
      defect.tripsWithout += 1
      defect.countedUntil = end
      let live = try refresh(stored, to: defect)
      guard defect.tripsWithout >= tripsToVerify else { continue }
      defect.status = .verified
      try update(live, to: defect, action: "verify")
    }
  }

  private func codeDefects(of vehicle: String, _ statuses: [Defect.Status]) throws(ThingError) -> [Stored<Defect>] {
    var query = ThingQuery<Defect>(
      .oneOf(key: "vehicleId", [.text(vehicle)]), .oneOf(key: "source", [Defect.Source.dtc.json]),
      limit: Defect.mostOfCodes)
    if !statuses.isEmpty { query.conditions.append(.oneOf(key: "status", statuses.map(\.json))) }
    return try list(query).items
  }
}

extension Defect.Report {
  init(ecu: String, isPresent: Bool, since: Timestamp, at: Timestamp) {
    self.init()
    (self.ecu, self.isPresent, self.since, self.at) = (ecu, isPresent, since, at)
  }
}
