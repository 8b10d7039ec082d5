import Telemetry

/// The type of a field's column in databases.
public enum FieldType: Sendable {
  case text
  case integer
  case real
  /// A boolean, stored as the integer 0 or 1.
  case flag
  /// A time, stored as milliseconds since 1970.
  case time
  /// A UUID.
  case identifier
  /// JSON, stored as text.
  case json

  /// Whether the values are numbers or times, so that a list can be restricted to values in a range.
  public var isOrdered: Bool {
    switch self {
    case .integer, .real, .time: true
    case .text, .flag, .identifier, .json: false
    }
  }
}

/// A type that the fields of things can have.
public protocol FieldValue: Equatable, Sendable {
  static var type: FieldType { get }
  /// The JSON Schema of the type, as JSON text.
  static var schema: String { get }
  /// Whether the value may be missing. In JSON, it is then `null` or absent.
  static var isOptional: Bool { get }

  /// Parses a stored value.
  ///
  /// - Throws: ``FieldError`` with a description of the expected value.
  init(json: JSON) throws(FieldError)
  var json: JSON { get }

  /// Parses a value that a client sent.
  ///
  /// - Throws: all errors of the value, not only the first.
  static func parsed(client json: JSON) throws(FieldErrors) -> Self

  /// Applies a client's merge patch (RFC 7396) to the JSON of a value.
  static func merged(patch: JSON, into old: JSON) -> JSON
}

extension FieldValue {
  public static var isOptional: Bool { false }
  public static func merged(patch: JSON, into old: JSON) -> JSON { patch.merged(into: old) }

  public static func parsed(client json: JSON) throws(FieldErrors) -> Self {
    do throws(FieldError) {
      return try Self(json: json)
    } catch {
      throw FieldErrors([error])
    }
  }
}

extension String: FieldValue {
  public static var type: FieldType { .text }
  public static var schema: String { #"{"type":"string"}"# }

  public init(json: JSON) throws(FieldError) {
    guard let text = json.textValue else { throw FieldError("", "expected a text, found \(json.summary)") }
    self = text
  }

  public var json: JSON { .text(self) }
}

extension Int64: FieldValue {
  public static var type: FieldType { .integer }
  public static var schema: String { #"{"type":"integer"}"# }

  public init(json: JSON) throws(FieldError) {
    guard let number = json.integerValue else { throw FieldError("", "expected an integer, found \(json.summary)") }
    self = number
  }

  public var json: JSON { .integer(self) }
}

extension Double: FieldValue {
  public static var type: FieldType { .real }
  public static var schema: String { #"{"type":"number"}"# }

  public init(json: JSON) throws(FieldError) {
    guard let number = json.numberValue else { throw FieldError("", "expected a number, found \(json.summary)") }
    self = number
  }

  public var json: JSON { Int64(exactly: self).map { .integer($0) } ?? .number(self) }
}

extension Bool: FieldValue {
  public static var type: FieldType { .flag }
  public static var schema: String { #"{"type":"boolean"}"# }

  public init(json: JSON) throws(FieldError) {
    guard case .bool(let flag) = json else {
      throw FieldError("", "expected true or false, found \(json.summary)")
    }
    self = flag
  }

  public var json: JSON { .bool(self) }
}

extension Timestamp: FieldValue {
  public static var type: FieldType { .time }
  public static var schema: String { #"{"type":"string","format":"date-time"}"# }

  public init(json: JSON) throws(FieldError) {
    guard let text = json.textValue, let time = try? Timestamp(parsing: text.utf8.span) else {
      throw FieldError("", "expected a time like \"2026-05-04T10:00:00Z\", found \(json.summary)")
    }
    // Units smaller than 1 ms are discarded, because databases and JSON have only milliseconds.
    let (nanoseconds, overflow) = time.milliseconds.multipliedReportingOverflow(by: 1_000_000)
    self.init(nanoseconds: overflow ? .min : nanoseconds)
  }

  /// Parses a time that a client sent, which must be in ``stated``. For times near the limits of `Timestamp`, the time a
  /// day earlier or later may not be representable.
  public static func parsed(client json: JSON) throws(FieldErrors) -> Timestamp {
    do throws(FieldError) {
      let time = try Timestamp(json: json)
      guard stated.contains(time) else {
        throw FieldError("", "expected a time from 1678 to 2261, found \(json.summary)")
      }
      return time
    } catch {
      throw FieldErrors([error])
    }
  }

  public var json: JSON {
    let characters = text
    return .text(String(decoding: (0..<24).map { characters[$0] }, as: UTF8.self))
  }
}

extension UUIDv7: FieldValue {
  public static var type: FieldType { .identifier }
  public static var schema: String { #"{"type":"string","format":"uuid"}"# }

  public init(json: JSON) throws(FieldError) {
    guard let text = json.textValue, let id = UUIDv7(text.utf8.span) else {
      throw FieldError("", "expected a UUID of version 7, found \(json.summary)")
    }
    self = id
  }

  public var json: JSON {
    let characters = text
    return .text(String(decoding: (0..<36).map { characters[$0] }, as: UTF8.self))
  }
}

extension UUIDv7 {
  /// The UUID as text, 36 characters in lower case.
  public var string: String { json.textValue ?? "" }
}

extension Timestamp {
  /// The time as text, in UTC with milliseconds.
  public var string: String { json.textValue ?? "" }
}

extension Optional: FieldValue where Wrapped: FieldValue {
  public static var type: FieldType { Wrapped.type }
  public static var schema: String { #"{"anyOf":[\#(Wrapped.schema),{"type":"null"}]}"# }
  public static var isOptional: Bool { true }

  public init(json: JSON) throws(FieldError) { self = json == .null ? nil : try Wrapped(json: json) }
  public var json: JSON { self?.json ?? .null }

  public static func parsed(client json: JSON) throws(FieldErrors) -> Self {
    json == .null ? nil : try Wrapped.parsed(client: json)
  }

  public static func merged(patch: JSON, into old: JSON) -> JSON { Wrapped.merged(patch: patch, into: old) }
}

/// Any JSON value.
extension JSON: FieldValue {
  public static var type: FieldType { .json }
  public static var schema: String { "{}" }

  public init(json: JSON) throws(FieldError) { self = json }
  public var json: JSON { self }
}

extension Array: FieldValue where Element: FieldValue {
  public static var type: FieldType { .json }
  public static var schema: String { #"{"type":"array","items":\#(Element.schema)}"# }

  public init(json: JSON) throws(FieldError) {
    guard case .array(let values) = json else { throw FieldError("", "expected an array, found \(json.summary)") }
    self = []
    for value in values {
      do throws(FieldError) {
        append(try Element(json: value))
      } catch {
        throw error.inside("\(count)")
      }
    }
  }

  public var json: JSON { .array(map(\.json)) }

  public static func parsed(client json: JSON) throws(FieldErrors) -> Self {
    guard case .array(let elements) = json else {
      throw FieldErrors([FieldError("", "expected an array, found \(json.summary)")])
    }
    var (values, errors): (Self, [FieldError]) = ([], [])
    for (index, element) in elements.enumerated() {
      do throws(FieldErrors) {
        values.append(try Element.parsed(client: element))
      } catch {
        errors += error.inside("\(index)").all
      }
    }
    if !errors.isEmpty { throw FieldErrors(errors) }
    return values
  }
}

/// A value that is one of several given texts.
public protocol FieldChoice: FieldValue, RawRepresentable, CaseIterable where RawValue == String {}

extension FieldChoice {
  public static var type: FieldType { .text }
  public static var schema: String {
    #"{"type":"string","enum":[\#(allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ","))]}"#
  }

  public init(json: JSON) throws(FieldError) {
    guard let text = json.textValue, let value = Self(rawValue: text) else {
      throw FieldError("", "expected \(Self.choices), found \(json.summary)")
    }
    self = value
  }

  public var json: JSON { .text(rawValue) }

  private static var choices: String { allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ") }
}
