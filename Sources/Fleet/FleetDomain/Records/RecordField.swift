import Telemetry

/// A key of records, with the rules by which the store checks its values.
public struct RecordField: Sendable {
  /// The valid values of a key. Numbers are always finite.
  public enum Values: Equatable, Sendable {
    case number(ClosedRange<Double>)
    /// A whole number, written without decimal point and exponent.
    case integer(ClosedRange<Double>)
    case flag
    case text
    /// The text of a code, or the code's number if the standard defines no text for it.
    case code
    /// A time in the format of RFC 3339.
    case time
    /// A UUID of version 7.
    case identifier
    /// An array of texts.
    case texts
    /// An array of objects.
    case objects
    case object
    /// Values of telemetry, grouped by ECU: `{"7E9":{"speed":50}}`.
    case telemetryByECU
  }

  public let name: String
  /// The types of records for which ``values`` applies. In records of other types, the key may have any value.
  public let types: RecordTypes
  public let values: Values
  /// The symbol of the value's unit; empty if the value has no unit.
  public let unit: String
  /// A description of the value for people.
  public let title: String

  init(
    _ name: String, _ types: RecordTypes, _ values: Values, unit: String = "", _ title: String
  ) {
    self.name = name
    self.types = types
    self.values = values
    self.unit = unit
    self.title = title
  }
}

/// A set of the known types of records.
public struct RecordTypes: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public init(_ type: RecordType) { rawValue = 1 << UInt16(type.rawValue) }

  public static let telemetry = RecordTypes(.telemetry)
  static let vehicle = RecordTypes(.vehicle)
  static let dtc = RecordTypes(.dtc)
  static let monitors = RecordTypes(.monitors)
  static let geofence = RecordTypes(.geofence)
  static let trip = RecordTypes(.trip)
  static let driving = RecordTypes(.driving)
  static let adapter = RecordTypes(.adapter)
  static let gap = RecordTypes(.gap)
  static let all = RecordTypes(RecordType.allCases.map { RecordTypes($0) })

  /// Whether the set contains the type of a record. An unknown type is never in the set.
  func contains(_ kind: RecordKind) -> Bool {
    guard case .known(let type) = kind else { return false }
    return contains(RecordTypes(type))
  }
}

extension RecordField.Values {
  /// Whether a number is within a range of values.
  ///
  /// A bound with decimals is widened slightly, because a product of decimal factors may have a rounding error in its
  /// last digit. Whole bounds are exact.
  static func isWithin(_ range: ClosedRange<Double>, _ number: Double) -> Bool {
    if range.contains(number) { return true }
    let bound = number < range.lowerBound ? range.lowerBound : range.upperBound
    return bound != bound.rounded() && abs(number - bound) <= slack(at: bound)
  }

  static func slack(at bound: Double) -> Double { 1e-9 * max(bound.magnitude, 1) }
}

extension RecordField.Values: CustomStringConvertible {
  /// The expected value, for messages.
  public var description: String {
    switch self {
    case .number(let range): "a number" + Self.text(range)
    case .integer(let range): "a whole number" + Self.text(range)
    case .flag: "true or false"
    case .text: "a text"
    case .code: "a text or the number of a code"
    case .time: #"a time from 1678 to 2261 like "2024-12-18T07:41:06.250Z""#
    case .identifier: "a UUID of version 7"
    case .texts: "an array of texts"
    case .objects: "an array of objects"
    case .object: "an object"
    case .telemetryByECU: "an object of values for each ECU"
    }
  }

  private static func text(_ range: ClosedRange<Double>) -> String {
    switch (range.lowerBound.isFinite, range.upperBound.isFinite) {
    case (false, false): ""
    case (true, false): " from \(text(range.lowerBound)) up"
    case (false, true): " up to \(text(range.upperBound))"
    case (true, true): " from \(text(range.lowerBound)) to \(text(range.upperBound))"
    }
  }

  private static func text(_ bound: Double) -> String { Int64(exactly: bound).map { "\($0)" } ?? "\(bound)" }
}
