import FleetDomain
import Telemetry

/// Reading of values in the JSON of other programs. A value of another type, or one that cannot be true, is absent.
extension JSON {
  /// The elements of an array; empty if this is not an array.
  var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }

  /// The members of an object; empty if this is not an object.
  var members: [String: JSON] { if case .object(let members) = self { members } else { [:] } }

  var boolValue: Bool? { if case .bool(let flag) = self { flag } else { nil } }

  /// The text, if it has visible characters.
  var filledText: String? {
    guard let text = textValue?.trimmed, !text.isEmpty else { return nil }
    return text
  }

  /// An identifier that some answers have as a text and others as a number.
  var identifier: String? { filledText ?? integerValue.map { String($0) } }

  /// A number, also one that is written as a text.
  var looseNumber: Double? { numberValue ?? filledText.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil } }

  /// A time with its zone, RFC 3339.
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

/// Reading of times.
enum SourceTime {
  /// The first time that can be true: 2000-01-01. Earlier ones are placeholders.
  static let first: Int64 = 946_684_800_000
  /// The last time that is stored: 2200-01-01.
  static let last: Int64 = 7_258_118_400_000

  /// Returns a time that is written by RFC 3339; `nil` for a placeholder.
  static func parse(_ text: String) -> Timestamp? {
    guard let time = try? Timestamp(parsing: text.utf8.span) else { return nil }
    return time.milliseconds >= first && time.milliseconds < last ? time : nil
  }

  /// Returns the time of a number of milliseconds since 1970; `nil` for a placeholder.
  static func milliseconds(_ number: Double?) -> Timestamp? {
    guard let number, number >= Double(first), number < Double(last) else { return nil }
    return Timestamp(nanoseconds: Int64(number) * 1_000_000)
  }

  /// Returns the time of a number of seconds since 1970; `nil` for a placeholder.
  static func seconds(_ number: Double?) -> Timestamp? { milliseconds(number.map { $0 * 1_000 }) }
}

/// Reading of positions.
enum SourcePosition {
  /// Returns the members of a record for a position; `nil` unless it can be true. A receiver without a fix often has 0° N,
  /// 0° E.
  static func values(latitude: Double?, longitude: Double?) -> [String: JSON]? {
    guard let latitude, let longitude, abs(latitude) <= 90, abs(longitude) <= 180, latitude.isFinite,
      longitude.isFinite, latitude != 0 || longitude != 0
    else { return nil }
    return ["latitude": latitude.json, "longitude": longitude.json]
  }

  /// Returns a course over ground; `nil` unless it is from 0° to 360°. Many programs have −1 if it is unknown.
  static func heading(_ value: Double?) -> JSON? { value.flatMap { (0...360).contains($0) ? $0.json : nil } }

  /// Returns a value that is not negative. Many programs have −1 if it is unknown.
  static func atLeastZero(_ value: Double?) -> Double? { value.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil } }
}
