import FleetDomain
import Telemetry

/// The kinds of things that can be imported.
public enum ImportKind: String, CaseIterable, Sendable {
  case vehicles, drivers
  case fuelEntries = "fuel-entries"
  case expenses
  case maintenanceRecords = "maintenance-records"
}

/// The program that wrote a file.
public enum ImportFormat: String, CaseIterable, Sendable {
  /// The format of this server: the names of the columns are the keys of the kind's fields.
  case own
  case fuelio, drivvo, lubeLogger
}

public enum DistanceUnit: String, CaseIterable, Sendable {
  case kilometer = "km"
  case mile = "mi"

  var kilometers: Double { self == .mile ? 1.609_344 : 1 }
}

/// Data that are missing in the files of some programs. They apply to all rows.
public struct ImportOptions: Equatable, Sendable {
  /// The vehicle to which all rows belong.
  public var vehicle: String?
  public var energy: FuelEntry.Energy?
  /// The currency of amounts without one: three letters (ISO 4217).
  public var currency: String?
  public var distanceUnit: DistanceUnit?
  public var volumeUnit: FuelEntry.Unit?
  public var decimal: DecimalMark?
  public var dates: DateOrder?

  public init() {}
}

/// One row of a file as the JSON object of a new thing.
public struct ImportRow: Equatable, Sendable {
  public let line: Int
  /// The client's own id; `nil` if the file has none.
  public var id: UUIDv7?
  public var values: [String: JSON]
  /// The column of each key's value, from 1.
  public var columns: [String: Int]

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
