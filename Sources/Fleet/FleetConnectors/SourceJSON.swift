import FleetDomain
import Telemetry

/// Access to values in the JSON of other programs. A value of the wrong type, or an impossible value, is treated as
/// absent.
extension JSON {
  /// The elements of an array; empty if this is not an array.
  var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }

  /// The members of an object; empty if this is not an object.
  var members: [String: JSON] { if case .object(let members) = self { members } else { [:] } }

  var boolValue: Bool? { if case .bool(let flag) = self { flag } else { nil } }

  /// The text without white space at its ends; `nil` if nothing remains.
  var filledText: String? {
    guard let text = textValue?.trimmed, !text.isEmpty else { return nil }
    return text
  }

  /// The value as an identifier: a text that is not empty, or an integer as text; `nil` for other values.
  var identifier: String? { filledText ?? integerValue.map { String($0) } }

  /// The value as a number, if it is a number or a text that contains one; otherwise `nil`.
  var looseNumber: Double? { numberValue ?? filledText.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil } }

  /// The value as a time, if it is a text with a time and a time zone (RFC 3339); otherwise `nil`.
  var time: Timestamp? { filledText.flatMap { SourceTime.parse($0) } }
}

extension String {
  /// The text without white space at its ends.
  var trimmed: String {
    var text = self[...]
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}

/// Parses times of other programs.
enum SourceTime {
  /// The earliest accepted time in ms since 1970: 2000-01-01. Earlier times are placeholders.
  static let first: Int64 = 946_684_800_000
  /// The first time that is too late to be accepted, ms since 1970: 2200-01-01.
  static let last: Int64 = 7_258_118_400_000

  /// Parses a time in the format of RFC 3339, or with an offset as in ISO 8601 without a colon (`-0700`); `nil` if it
  /// is invalid or a placeholder.
  static func parse(_ text: String) -> Timestamp? {
    guard let time = (try? Timestamp(parsing: text.utf8.span)) ?? withoutColon(text) else { return nil }
    return time.milliseconds >= first && time.milliseconds < last ? time : nil
  }

  private static func withoutColon(_ text: String) -> Timestamp? {
    let end = text.suffix(5)
    guard text.contains(":"), end.count == 5, end.hasPrefix("+") || end.hasPrefix("-"),
      end.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber })
    else { return nil }
    return try? Timestamp(parsing: "\(text.dropLast(2)):\(text.suffix(2))".utf8.span)
  }

  /// Converts milliseconds since 1970; `nil` for a placeholder.
  static func milliseconds(_ number: Double?) -> Timestamp? {
    guard let number, number >= Double(first), number < Double(last) else { return nil }
    return Timestamp(limiting: Int64(number))
  }

  /// Converts seconds since 1970; `nil` for a placeholder.
  static func seconds(_ number: Double?) -> Timestamp? { milliseconds(number.map { $0 * 1_000 }) }
}

/// Checks positions of other programs.
enum SourcePosition {
  /// Returns the members of a record for a position; `nil` if the position is impossible. 0° N, 0° E is treated as
  /// impossible, because receivers without a fix often report it.
  static func values(latitude: Double?, longitude: Double?) -> [String: JSON]? {
    guard let latitude, let longitude, abs(latitude) <= 90, abs(longitude) <= 180, latitude.isFinite,
      longitude.isFinite, latitude != 0 || longitude != 0
    else { return nil }
    return ["latitude": latitude.json, "longitude": longitude.json]
  }

  /// Returns a course over ground; `nil` unless it is from 0° to 360°. Many programs report −1 if it is unknown.
  static func heading(_ value: Double?) -> JSON? { value.flatMap { (0...360).contains($0) ? $0.json : nil } }

  /// Returns the value; `nil` if it is negative. Many programs report −1 for an unknown value.
  static func atLeastZero(_ value: Double?) -> Double? { value.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil } }
}
