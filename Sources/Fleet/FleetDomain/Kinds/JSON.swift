import JSONText
import Telemetry

/// A JSON value that contains no references to the text from which it was parsed.
///
/// Fields of things, change sets and audit entries are such values. Numbers without a fraction that fit into `Int64`
/// are integers; all others are `Double`.
public enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// A finite number.
  case number(Double)
  case text(String)
  case array([JSON])
  case object([String: JSON])

  /// Copies a value of the parser.
  ///
  /// - Throws: ``FieldError`` for a number that `Double` cannot represent.
  public init(_ value: JSONValue) throws(FieldError) {
    switch value.kind {
    case .null: self = .null
    case .bool: self = .bool(value.bool ?? false)
    case .string: self = .text(value.string ?? "")
    case .number:
      if let integer = value.int {
        self = .integer(Int64(integer))
      } else if let number = value.double, number.isFinite {
        self = .number(number)
      } else {
        throw FieldError("", "expected a finite number, found \(value.numberText ?? "")")
      }
    case .array:
      var elements: [JSON] = []
      for element in value.elements {
        do throws(FieldError) {
          elements.append(try JSON(element))
        } catch {
          throw error.inside("\(elements.count)")
        }
      }
      self = .array(elements)
    case .object:
      var members: [String: JSON] = [:]
      for member in value.members {
        do throws(FieldError) {
          members[member.key] = try JSON(member.value)
        } catch {
          throw error.inside(member.key)
        }
      }
      self = .object(members)
    }
  }

  /// Parses a JSON text.
  ///
  /// - Throws: ``FieldError`` whose message contains the position and the reason.
  public init(parsing text: [UInt8]) throws(FieldError) {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: text)
    } catch {
      throw FieldError("", error.message)
    }
    try self.init(document.root)
  }

  /// The member of an object; `nil` if this is not an object or has no such member.
  public subscript(_ key: String) -> JSON? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  /// The text; `nil` if this is not a text.
  public var textValue: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The integer; `nil` if this is not an integer.
  public var integerValue: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  /// The number, with or without a fraction; `nil` if this is not a number.
  public var numberValue: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }

  /// Applies this value as a merge patch (RFC 7396) to another value, and returns the result.
  public func merged(into value: JSON) -> JSON {
    guard case .object(let patch) = self else { return self }
    var members: [String: JSON] = [:]
    if case .object(let old) = value { members = old }
    for (key, part) in patch { members[key] = part == .null ? nil : part.merged(into: members[key] ?? .null) }
    return .object(members)
  }

  /// A short description of the value for error messages, without control characters.
  public var summary: String {
    switch self {
    case .null: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .text(let text): JSONError.quoted(text)
    case .array: "an array"
    case .object: "an object"
    }
  }
}

// MARK: Canonical text

extension JSON {
  /// The canonical text of the JSON Canonicalization Scheme (RFC 8785): members sorted by the UTF-16 code units of
  /// their keys, no white space, the shortest notation of each number.
  public var canonicalText: String { String(decoding: canonicalBytes, as: UTF8.self) }

  /// ``canonicalText`` in UTF-8.
  public var canonicalBytes: [UInt8] {
    var text: [UInt8] = []
    write(to: &text)
    return text
  }

  private func write(to text: inout [UInt8]) {
    switch self {
    case .null: text += "null".utf8
    case .bool(let flag): text += (flag ? "true" : "false").utf8
    case .integer(let number):
      // RFC 8785 supports only IEEE 754 doubles, so larger integers are rounded as other readers round them.
      text += (abs(Double(number)) < 9_007_199_254_740_992 ? String(number) : Self.canonical(Double(number))).utf8
    case .number(let number): text += Self.canonical(number).utf8
    case .text(let value): Self.write(value, to: &text)
    case .array(let elements):
      text.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        element.write(to: &text)
      }
      text.append(UInt8(ascii: "]"))
    case .object(let members):
      text.append(UInt8(ascii: "{"))
      var isFirst = true
      for (key, value) in members.sorted(by: { Self.precedes($0.key, $1.key) }) {
        if !isFirst { text.append(UInt8(ascii: ",")) }
        isFirst = false
        Self.write(key, to: &text)
        text.append(UInt8(ascii: ":"))
        value.write(to: &text)
      }
      text.append(UInt8(ascii: "}"))
    }
  }

  /// Whether a key precedes another one in the order of UTF-16 code units. For ASCII, that is the order of bytes.
  private static func precedes(_ left: String, _ right: String) -> Bool {
    let areASCII = left.utf8.allSatisfy { $0 < 0x80 } && right.utf8.allSatisfy { $0 < 0x80 }
    return areASCII
      ? left.utf8.lexicographicallyPrecedes(right.utf8) : left.utf16.lexicographicallyPrecedes(right.utf16)
  }

  /// Writes a string, with quotes. Escapes only the characters that RFC 8785, section 3.2.2.2 requires.
  private static func write(_ value: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case 0x20...: text.append(byte)
      case 0x08: text += "\\b".utf8
      case 0x09: text += "\\t".utf8
      case 0x0A: text += "\\n".utf8
      case 0x0C: text += "\\f".utf8
      case 0x0D: text += "\\r".utf8
      default: text += ("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8
      }
    }
    text.append(UInt8(ascii: "\""))
  }

  /// Formats a finite number as ECMAScript does (ECMA-262, Number::toString): the shortest digits that give the same
  /// number.
  private static func canonical(_ number: Double) -> String {
    if number == 0 { return "0" }
    // Swift produces the same digits in another format: `1e-07`, `1e+16`, `5.0`.
    var (digits, exponent) = ("", 0)
    let described = abs(number).description
    let parts = described.split(separator: "e")
    if parts.count == 2 { exponent = Int(parts[1]) ?? 0 }
    let halves = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    digits = String(halves[0]) + (halves.count == 2 ? String(halves[1]) : "")
    // The value is 0.DIGITS × 10^point.
    var point = halves[0].count + exponent
    let leading = digits.prefix { $0 == "0" }.count
    digits.removeFirst(leading)
    point -= leading
    while digits.last == "0" { digits.removeLast() }
    let count = digits.count
    let text =
      if count <= point, point <= 21 {
        digits + String(repeating: "0", count: point - count)
      } else if 0 < point, point <= 21 {
        String(digits.prefix(point)) + "." + digits.dropFirst(point)
      } else if -6 < point, point <= 0 {
        "0." + String(repeating: "0", count: -point) + digits
      } else {
        String(digits.prefix(1)) + (count > 1 ? "." + digits.dropFirst() : "") + "e" + (point > 0 ? "+" : "-")
          + String(abs(point - 1))
      }
    return (number < 0 ? "-" : "") + text
  }
}
