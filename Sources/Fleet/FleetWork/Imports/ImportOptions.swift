import FleetDomain
import Telemetry

/// The kinds of things that can be imported.
public enum ImportKind: String, CaseIterable, Sendable {
  case vehicles, drivers
  case fuelEntries = "fuel-entries"
  case expenses
  case maintenanceRecords = "maintenance-records"
  case serviceSchedules = "service-schedules"
  case meterReadings = "meter-readings"
  /// Trips of vehicles, as another program has recorded them.
  case trips
  /// Positions of vehicles.
  case tracks

  /// Whether the rows become records of vehicles, as gateways send them, instead of things that people enter.
  public var areRecords: Bool { self == .trips || self == .tracks }

  /// The key under which a row contains its time.
  public var timeKey: String {
    switch self {
    case .maintenanceRecords: "completedDate"
    case .trips: "endTime"
    case .tracks: "timestamp"
    default: "at"
    }
  }
}

/// The program that wrote a file.
public enum ImportFormat: String, CaseIterable, Sendable {
  /// The format of this server: the names of the columns are the keys of the kind's fields.
  case own
  case fuelio, drivvo, lubeLogger, fuelly, spritmonitor, fleetio, teslaFi, traccar
  /// Positions in GPX, in KML, or in a table with columns such as `lat` and `lon`.
  case track
}

public enum DistanceUnit: String, CaseIterable, Sendable {
  case kilometer = "km"
  case mile = "mi"

  var kilometers: ExactDecimal { self == .mile ? .mile : .one }
}

extension ExactDecimal {
  /// Kilometres in a mile.
  static let mile = ExactDecimal(digits: 1_609_344, scale: 6)
  /// Kilometres in a nautical mile, and km/h in a knot.
  static let nauticalMile = ExactDecimal(digits: 1_852, scale: 3)
  static let thousandth = ExactDecimal(digits: 1, scale: 3)
  /// Hours in a millisecond, to 18 digits after the point.
  static let hoursPerMillisecond = ExactDecimal(digits: 277_777_777_778, scale: 18)
  /// Kilometres per hour in a metre per second.
  static let metersPerSecond = ExactDecimal(digits: 36, scale: 1)
  static let e7 = ExactDecimal(digits: 1, scale: 7)
  static let usGallon = ExactDecimal(digits: 3_785_411_784, scale: 9)
  static let imperialGallon = ExactDecimal(digits: 454_609, scale: 5)
}

/// Data that the person supplies because some programs do not write them into their files. They apply to all rows.
public struct ImportOptions: Equatable, Sendable {
  /// The vehicle to which all rows belong; `nil` if the file itself states the vehicles.
  public var vehicle: String?
  public var energy: FuelEntry.Energy?
  /// The currency of amounts that the file states without a currency: three letters (ISO 4217); `nil` if unknown.
  public var currency: String?
  public var distanceUnit: DistanceUnit?
  public var volumeUnit: FuelEntry.Unit?
  public var decimal: DecimalMark?
  public var dates: DateOrder?
  /// The time zone of times that are written without a zone.
  public var zone = ZoneRules.utc

  public init() {}
}

/// A part of a file that is not imported although it has values.
public struct ImportRest: Equatable, Sendable {
  /// The number of the line that contains the names of the columns or the name of the section.
  public let line: Int
  /// Number of rows that are not imported; `nil` if only the columns in ``columns`` are not imported.
  public let rows: Int?
  /// Names of the columns that are not imported; empty if whole rows are not imported.
  public let columns: [String]
  public let message: String

  public init(line: Int, rows: Int?, columns: [String] = [], message: String) {
    (self.line, self.rows, self.columns, self.message) = (line, rows, columns, message)
  }
}

/// One row of a file as the JSON object of a new thing.
public struct ImportRow: Equatable, Sendable {
  public let line: Int
  /// The id that the file specifies for the new thing; `nil` if the file specifies none.
  public var id: UUIDv7?
  public var values: [String: JSON]
  /// For each key in ``values``, the number of the column from which its value was read, from 1.
  public var columns: [String: Int]
  /// The names of the row's vehicle in the file, the most exact name first. Empty if ``values`` contains the vehicle.
  public var vehicleNames: [String] = []
  /// The format of the file and the id of the row in the program that wrote it; `nil` if the file has no such ids. It
  /// is different for each row of the file.
  public var sourceID: String?

  /// Returns an error about a value of the row, with the value's column.
  ///
  /// - Parameter path: the path of the value.
  public func error(_ path: String, _ message: String) -> ImportError {
    let key = String(path.prefix { $0 != "." })
    let column = columns[path] ?? columns[key]
    return ImportError(
      line: line, column: column, message: column == nil && !key.isEmpty ? "\(path): \(message)" : message)
  }
}
