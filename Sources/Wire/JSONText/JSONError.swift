/// An error in a JSON text: the problem, its position and what was expected.
///
/// ``JSONDocument`` throws syntax errors. Other errors are thrown when values are read (``JSONValue``,
/// ``JSONObjectReader``), or by the caller's own rules (``JSONValue/invalid(expected:found:)``).
public struct JSONError: Error, Equatable, Sendable {
  /// The kind of problem, with the data for its message.
  public enum Kind: Equatable, Sendable {
    /// The text is empty or only white space.
    case empty
    /// The text begins with a byte order mark, which RFC 8259 (section 8.1) forbids.
    case byteOrderMark
    /// The text ends within a value.
    case unexpectedEnd(expected: String)
    /// A byte is not allowed at its position.
    case unexpectedCharacter(UInt8, expected: String)
    /// The JSON value is followed by something other than white space. The associated value is the first byte of that
    /// text.
    case trailingContent(UInt8)
    /// A number violates RFC 8259 (section 6): a leading zero or plus sign, a point without digits, or no digits.
    case invalidNumber(expected: String)
    /// A backslash is followed neither by one of `" \ / b f n r t` nor by `u` and four hexadecimal digits.
    case invalidEscape
    /// A surrogate `\uD800`…`\uDFFF` is not part of a pair.
    case unpairedSurrogate
    /// A string contains a byte below 0x20 that is not escaped.
    case controlCharacter(UInt8)
    /// The bytes are not valid UTF-8 (RFC 3629): overlong, a surrogate, above U+10FFFF, or incomplete.
    case invalidUTF8
    /// Arrays and objects are nested deeper than the limit.
    case tooDeep(limit: Int)
    /// The text has more bytes than the limit.
    case tooLarge(limit: Int)
    /// The object has this key twice. `firstLine` is the line in which the key occurs first.
    case duplicateKey(String, firstLine: Int)
    /// The value has the wrong type.
    case wrongType(expected: String, found: String)
    /// A required key is missing.
    case missingKey(String)
    /// This key is not allowed in the object; `known` contains the allowed keys.
    case unknownKey(String, known: [String])
    /// The value is outside the allowed range.
    case outOfRange(expected: String, found: String)
    /// The value violates a rule of the code that reads it.
    case invalidValue(expected: String, found: String)
  }

  /// The kind of problem, with the data for its message.
  public var kind: Kind
  /// Line of the error, from 1. Lines end with LF, CR LF or CR.
  public var line: Int
  /// Column of the error, from 1, in Unicode scalars, as editors count.
  public var column: Int
  /// Offset of the error in the text, bytes, from 0.
  public var offset: Int
  /// JSON path of the value at fault, for example `adapters[1].baud`; empty for the root.
  public var path: String

  /// Creates an error; the parameters are the properties of the same names.
  public init(_ kind: Kind, line: Int, column: Int, offset: Int, path: String = "") {
    self.kind = kind
    self.line = line
    self.column = column
    self.offset = offset
    self.path = path
  }
}

extension JSONError: CustomStringConvertible {
  /// The message as one text line, for example:
  /// `3:14: adapters[1].baud: expected a whole number from 1200 to 4000000, found 12`.
  public var message: String {
    path.isEmpty ? "\(line):\(column): \(reason)" : "\(line):\(column): \(path): \(reason)"
  }

  /// Returns the message with the file name, in the form that editors and terminals recognize as a link:
  /// `gateway.json:3:14: …`.
  public func message(in file: String) -> String { "\(file):\(message)" }

  /// The error as one text line, which is ``message``.
  public var description: String { message }

  /// The problem and what was expected, without the position.
  public var reason: String {
    switch kind {
    case .empty: "no JSON value: the text is empty"
    case .byteOrderMark: "the text begins with a byte order mark; save it as UTF-8 without one"
    case .unexpectedEnd(let expected): "the text ends here; expected \(expected)"
    case .unexpectedCharacter(let byte, let expected): "expected \(expected), found \(Self.name(of: byte))"
    case .trailingContent(let byte): "expected the end of the text after its value, found \(Self.name(of: byte))"
    case .invalidNumber(let expected): "not a JSON number: expected \(expected)"
    case .invalidEscape: #"expected one of \" \\ \/ \b \f \n \r \t or \u with four hexadecimal digits"#
    case .unpairedSurrogate: #"half a surrogate pair; a character above U+FFFF is written \uD8xx\uDCxx"#
    case .controlCharacter(let byte):
      "\(Self.name(of: byte)) is not allowed in a string; write \\u00\(Self.hexadecimal(byte))"
    case .invalidUTF8: "bytes that are not UTF-8"
    case .tooDeep(let limit): "nested deeper than \(limit) levels"
    case .tooLarge(let limit): "longer than \(limit) bytes"
    case .duplicateKey(let key, let firstLine): "key \(Self.quoted(key)) again; it is already in line \(firstLine)"
    case .wrongType(let expected, let found), .outOfRange(let expected, let found),
      .invalidValue(let expected, let found):
      "expected \(expected), found \(found)"
    case .missingKey(let key): "key \(Self.quoted(key)) is missing"
    case .unknownKey(let key, let known): Self.unknownKeyReason(key, among: known)
    }
  }

  /// Returns the reason for rejecting an unknown key. It contains the most similar known key; if none is similar, all
  /// known keys.
  public static func unknownKeyReason(_ key: String, among known: [String]) -> String {
    let start = "unknown key \(quoted(key))"
    if let near = nearestName(to: key, among: known) { return start + "; did you mean \(quoted(near))?" }
    if known.isEmpty { return start + "; no key belongs here" }
    return start + "; known here: " + known.joined(separator: ", ")
  }

  /// Returns a text of the input in quotes for a message: on one line, at most 60 characters. Characters that are not
  /// shown, or change the direction of the text around them, are escaped.
  public static func quoted(_ text: some StringProtocol) -> String {
    var out = "\""
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if index == 60 {
        out += "…"
        break
      }
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case _ where scalar.isInvisible:
        out += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count == 1 ? "0" + digits : digits
  }

  private static func name(of byte: UInt8) -> String {
    switch byte {
    case 0x09: "a tab"
    case 0x0A, 0x0D: "a line end"
    case 0x21...0x7E: "'\(Character(Unicode.Scalar(byte)))'"
    case 0x20: "a space"
    default: "byte 0x\(hexadecimal(byte))"
    }
  }
}
