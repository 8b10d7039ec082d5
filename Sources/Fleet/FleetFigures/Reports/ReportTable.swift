import FleetDomain
import FleetWork
import Telemetry

/// Computes the rows of a report from the figures of days and from costs.
public struct ReportTable: Sendable {
  /// The distance in km below which the driving of a driver is not scored.
  public static let leastScoredDistance = 100.0
  /// The formula of the score.
  public static let scoreFormula =
    "score = 100 - 4 x (driving events per 100 km) - 20 x (idle time / time with a running engine), at least 0"

  /// The vehicle, its fleet and its driver, to which figures or costs belong.
  public struct Subject: Hashable, Sendable {
    public var vehicle: String?
    public var fleet: UUIDv7?
    public var driver: UUIDv7?

    public init(vehicle: String?, fleet: UUIDv7?, driver: UUIDv7?) {
      (self.vehicle, self.fleet, self.driver) = (vehicle, fleet, driver)
    }
  }

  /// The sums of one row.
  private struct Sums {
    var vehicles: Set<String> = []
    var usedDays = 0
    var (engineOn, moving, idle, unknown): (Int64, Int64, Int64, Int64) = (0, 0, 0, 0)
    var distance: Double?
    var fuelUsed: Double?
    /// km of the days of which both distance and fuel are known.
    var fuelDistance = 0.0
    var trips = 0
    var drivingEvents = 0
    var costs = VehicleCosts()
  }

  private let topic: Report.Topic
  private let grouping: Report.Grouping
  private var sums: [String: Sums] = [:]

  public init(_ topic: Report.Topic, by grouping: Report.Grouping) { (self.topic, self.grouping) = (topic, grouping) }

  public mutating func add(_ day: VehicleDay, of subject: Subject) {
    let key = group(day.date, subject)
    var own = sums.removeValue(forKey: key) ?? Sums()
    if let vehicle = subject.vehicle { own.vehicles.insert(vehicle) }
    if day.engineOn > 0 || day.moving > 0 { own.usedDays += 1 }
    own.engineOn += day.engineOn
    own.moving += day.moving
    own.idle += day.idle
    own.unknown += day.unknown
    if let distance = day.distance { own.distance = (own.distance ?? 0) + distance }
    if let fuel = day.fuelUsed {
      own.fuelUsed = (own.fuelUsed ?? 0) + fuel
      own.fuelDistance += day.distance ?? 0
    }
    own.trips += day.trips
    own.drivingEvents += day.drivingEvents
    sums[key] = own
  }

  /// - Parameter amount: `nil` if it is unknown.
  public mutating func add(_ amount: Money?, category: String, on date: CalendarDate, of subject: Subject) {
    sums[group(date, subject), default: Sums()].costs.add(amount, category: category)
  }

  /// The number of rows so far.
  public var count: Int { sums.count }

  /// The rows, in the order of their groups.
  public var rows: [JSON] {
    sums.sorted { $0.key < $1.key }.map { group, sums in
      .object(members(sums).filter { $0.value != .null }.merging(["group": .text(group)]) { $1 })
    }
  }

  /// The name of the row: an id, a date, an ISO week (2026-W18) or a month (2026-05); empty for none.
  private func group(_ date: CalendarDate, _ subject: Subject) -> String {
    switch grouping {
    case .vehicle: subject.vehicle ?? ""
    case .driver: subject.driver?.string ?? ""
    case .fleet: subject.fleet?.string ?? ""
    case .day: date.text
    case .week: Self.week(of: date)
    case .month: String(date.text.prefix(7))
    }
  }

  /// The week by ISO 8601: it begins on Monday, and belongs to the year of its Thursday.
  static func week(of date: CalendarDate) -> String {
    // 1970-01-01 was a Thursday.
    let day = date.dayNumber
    let weekday = ((day + 3) % 7 + 7) % 7
    let thursday = CalendarDate(dayNumber: day - weekday + 3)
    let first = Timestamp.days(year: thursday.year, month: 1, day: 1)
    let number = (thursday.dayNumber - first) / 7 + 1
    return "\(thursday.text.prefix(4))-W\(number < 10 ? "0" : "")\(number)"
  }

  private func members(_ sums: Sums) -> [String: JSON] {
    func seconds(_ milliseconds: Int64) -> JSON { (Double(milliseconds) / 1_000).json }
    func rounded(_ number: Double?) -> JSON { number.map { (($0 * 1_000).rounded() / 1_000).json } ?? .null }
    func ratio(_ part: Double?, _ whole: Double) -> JSON { rounded(part.flatMap { whole > 0 ? $0 / whole : nil }) }
    func list(_ money: [Money]) -> JSON { .array(money.map(\.json)) }
    let idleShare = ratio(Double(sums.idle), Double(sums.engineOn))
    switch topic {
    case .utilization:
      return [
        "vehicles": .integer(Int64(sums.vehicles.count)), "usedDays": .integer(Int64(sums.usedDays)),
        "distance": rounded(sums.distance), "engineOnSeconds": seconds(sums.engineOn),
        "movingSeconds": seconds(sums.moving), "idleSeconds": seconds(sums.idle),
        "unknownSeconds": seconds(sums.unknown), "idleShare": idleShare,
      ]
    case .trips:
      return [
        "trips": .integer(Int64(sums.trips)), "distance": rounded(sums.distance), "movingSeconds": seconds(sums.moving),
        "distancePerTrip": ratio(sums.distance, Double(sums.trips)),
      ]
    case .fuel:
      return [
        "fuelUsed": rounded(sums.fuelUsed), "distance": rounded(sums.distance),
        "litresPer100km": ratio(sums.fuelUsed.map { $0 * 100 }, sums.fuelDistance),
      ]
    case .costs:
      return [
        "total": list(sums.costs.total), "byCategory": .object(sums.costs.byCategory.mapValues(list)),
        "perKilometer": list(sums.costs.total(per: sums.distance) ?? []),
      ]
    case .drivers:
      var members: [String: JSON] = [
        "distance": rounded(sums.distance), "drivingEvents": .integer(Int64(sums.drivingEvents)),
        "idleShare": idleShare,
      ]
      if let distance = sums.distance, distance >= Self.leastScoredDistance {
        let idle = sums.engineOn > 0 ? Double(sums.idle) / Double(sums.engineOn) : 0
        let score = 100 - 4 * Double(sums.drivingEvents) / distance * 100 - 20 * idle
        members["score"] = .integer(Int64(max(score, 0).rounded()))
      } else {
        members["note"] = .text("not enough distance")
      }
      return members
    }
  }

  /// The rows as CSV (RFC 4180). Lists and objects are written as JSON.
  public static func csv(_ rows: [JSON]) -> [UInt8] {
    var keys: Set<String> = []
    for case .object(let members) in rows { keys.formUnion(members.keys) }
    let columns = ["group"] + keys.subtracting(["group"]).sorted()
    var text = columns.joined(separator: ",") + "\r\n"
    for row in rows {
      text += columns.map { cell(row[$0]) }.joined(separator: ",") + "\r\n"
    }
    return Array(text.utf8)
  }

  private static func cell(_ value: JSON?) -> String {
    let text: String
    switch value {
    case nil, .null?: return ""
    case .text(let own)?: text = own
    case let other?: text = other.canonicalText
    }
    // Spreadsheets execute cells that begin with these.
    let isFormula = value?.textValue != nil && text.first.map { "=+-@\t\r".contains($0) } ?? false
    let safe = isFormula ? "'" + text : text
    return safe.contains { "\",\r\n".contains($0) || $0.isNewline }
      ? "\"" + safe.replacing("\"", with: "\"\"") + "\"" : safe
  }
}
