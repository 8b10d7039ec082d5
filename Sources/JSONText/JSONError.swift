/// What is wrong in a JSON text, where, and what would be right.
///
/// Syntax errors come from ``JSONDocument``; the others from reading values out of it (``JSONValue``,
/// ``JSONObjectReader``) or from the caller's own rules (``JSONValue/invalid(_:)``).
public struct JSONError: Error, Equatable, Sendable {
  /// What is wrong, with what a message needs to say it.
  public enum Kind: Equatable, Sendable {
    /// No value at all: nothing, or white space only.
    case empty
    /// The text begins with a byte order mark, which RFC 8259 (8.1) forbids to send.
    case byteOrderMark
    /// The text ends inside a value.
    case unexpectedEnd(expected: String)
    /// A byte that cannot stand here.
    case unexpectedCharacter(UInt8, expected: String)
    /// More than white space after the one value of a text.
    case trailingContent(UInt8)
    /// A number that RFC 8259 (6) does not know: a leading zero or plus, a bare point, no digits.
    case invalidNumber(expected: String)
    /// A backslash followed by something other than `" \ / b f n r t` or `u` with four hexadecimal digits.
    case invalidEscape
    /// `\uD800`…`\uDFFF` without its other half.
    case unpairedSurrogate
    /// A byte below 0x20 that stands unescaped in a string.
    case controlCharacter(UInt8)
    /// Bytes that are not UTF-8 (RFC 3629): overlong, a surrogate, above U+10FFFF, or cut.
    case invalidUTF8
    /// Arrays and objects nested deeper than the reader was told to follow.
    case tooDeep(limit: Int)
    /// More bytes than the reader was told to accept.
    case tooLarge(limit: Int)
    /// A key that the same object already has.
    case duplicateKey(String, firstLine: Int)
    /// A value of another type than the one that belongs here.
    case wrongType(expected: String, found: String)
    /// A key without which the object says nothing.
    case missingKey(String)
    /// A key that means nothing here; `known` are the ones that would.
    case unknownKey(String, known: [String])
    /// A value of the right type outside what is allowed.
    case outOfRange(expected: String, found: String)
    /// A value that breaks a rule of its reader.
    case invalidValue(expected: String, found: String)
  }

  /// What is wrong.
  public var kind: Kind
  /// Line, from 1. Lines end with LF, CR LF or CR.
  public var line: Int
  /// Column, from 1, in Unicode scalars, as editors count.
  public var column: Int
  /// Bytes before the place.
  public var offset: Int
  /// Where in the value: `adapters[1].baud`; empty at the top.
  public var path: String

  /// - Parameters: as the properties of the same names.
  public init(_ kind: Kind, line: Int, column: Int, offset: Int, path: String = "") {
    self.kind = kind
    self.line = line
    self.column = column
    self.offset = offset
    self.path = path
  }
}

extension JSONError: CustomStringConvertible {
  /// One line: `3:14: adapters[1].baud: expected a whole number from 1200 to 4000000, found 12`.
  public var message: String {
    path.isEmpty ? "\(line):\(column): \(reason)" : "\(line):\(column): \(path): \(reason)"
  }

  /// One line, the file first, in the form that editors and terminals turn into a link: `gateway.json:3:14: …`.
  public func message(in file: String) -> String { "\(file):\(message)" }

  /// ``message``.
  public var description: String { message }

  /// What is wrong and what would be right, without the place.
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
      "\(Self.name(of: byte)) cannot stand in a string; write \\u00\(Self.hexadecimal(byte))"
    case .invalidUTF8: "bytes that are not UTF-8"
    case .tooDeep(let limit): "nested deeper than \(limit) levels"
    case .tooLarge(let limit): "longer than \(limit) bytes"
    case .duplicateKey(let key, let firstLine): "key \(Self.quoted(key)) again; it already stands in line \(firstLine)"
    case .wrongType(let expected, let found), .outOfRange(let expected, let found),
      .invalidValue(let expected, let found):
      "expected \(expected), found \(found)"
    case .missingKey(let key): "key \(Self.quoted(key)) is missing"
    case .unknownKey(let key, let known): Self.unknown(key, among: known)
    }
  }

  private static func unknown(_ key: String, among known: [String]) -> String {
    let start = "unknown key \(quoted(key))"
    if let near = nearest(to: key, among: known) { return start + "; did you mean \(quoted(near))?" }
    if known.isEmpty { return start + "; no key belongs here" }
    return start + "; known here: " + known.joined(separator: ", ")
  }

  /// A text from the input as a message may show it: in quotes, on one line, at most 60 characters.
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
      case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
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
