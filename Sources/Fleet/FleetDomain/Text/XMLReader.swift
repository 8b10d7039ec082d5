/// The reason why an XML text is rejected, with its offset in bytes.
public struct XMLError: Error, Equatable {
  public let offset: Int
  public let message: String
}

/// Converts XML 1.0 to JSON. Members have the local names of elements and attributes, in lower case and without
/// namespaces.
///
///     <Distance datetime="2026-08-21T16:12:44Z"><OdometerUnits>kilometre</OdometerUnits></Distance>
///     {"datetime":"2026-08-21T16:12:44Z","odometerunits":"kilometre"}
///
/// Attributes and child elements both become members. An element with only text becomes a text, and elements of the
/// same name become an array. If an element has attributes and text, the text becomes the member `text`.
///
/// A document type declaration is rejected, so no entities exist except the five predefined ones. Depth, number of
/// nodes and length are limited, which limits memory and time.
public struct XMLReader {
  /// Maximum length of a text, bytes.
  public static let longest = 32 << 20
  /// Maximum number of elements and attributes.
  public static let mostNodes = 2_000_000
  /// Maximum number of elements inside each other.
  public static let deepest = 32

  private let bytes: [UInt8]
  private var position = 0
  private var nodes = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Parses a document.
  ///
  /// - Returns: the name of the root element in lower case, and its content.
  public static func parse(_ bytes: [UInt8]) throws(XMLError) -> (name: String, content: JSON) {
    guard bytes.count <= longest else { throw XMLError(offset: longest, message: "longer than \(longest) bytes") }
    var reader = XMLReader(bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.position = 3 }
    try reader.skipMisc()
    let root = try reader.element(depth: 1)
    try reader.skipMisc()
    guard reader.position == bytes.count else { throw reader.error("expected the end after the root element") }
    return root
  }

  /// Returns the elements with one name as an array, also if there is only one element or none.
  public static func elements(_ value: JSON?) -> [JSON] {
    switch value {
    case nil, .null?: []
    case .array(let elements)?: elements
    case let one?: [one]
    }
  }

  /// Returns the text of an element, with or without attributes; empty if there is no element or no text.
  public static func text(_ value: JSON?) -> String { value?.textValue ?? value?["text"]?.textValue ?? "" }

  // MARK: Elements

  private mutating func element(depth: Int) throws(XMLError) -> (name: String, content: JSON) {
    guard depth <= Self.deepest else { throw error("more than \(Self.deepest) elements inside each other") }
    try expect("<")
    let full = try name()
    // The values of the members with the same name. Each becomes one member of the object at the end.
    var members: [String: [JSON]] = [:]
    while true {
      let hadSpace = skipSpace()
      if accept("/>") { return (Self.local(full), Self.object(members)) }
      if accept(">") { break }
      guard hadSpace else { throw error("expected white space before an attribute") }
      let key = try name()
      skipSpace()
      try expect("=")
      skipSpace()
      let value = try attribute()
      if key != "xmlns", !key.hasPrefix("xmlns:") { try add(.text(value), as: Self.local(key), to: &members) }
    }
    var text = ""
    while true {
      guard position < bytes.count else { throw error("expected </\(full)>, found the end") }
      if bytes[position] != UInt8(ascii: "<") {
        text += try characters(until: UInt8(ascii: "<"))
      } else if accept("<![CDATA[") {
        let end = try find("]]>")
        text += try string(position..<end)
        position = end + 3
      } else if accept("<!--") {
        position = try find("-->") + 3
      } else if accept("<?") {
        position = try find("?>") + 2
      } else if accept("</") {
        guard try name() == full else { throw error("expected </\(full)>") }
        skipSpace()
        try expect(">")
        break
      } else {
        let child = try element(depth: depth + 1)
        try add(child.content, as: child.name, to: &members)
      }
    }
    let trimmed = Self.trimmed(text)
    if members.isEmpty { return (Self.local(full), .text(trimmed)) }
    if !trimmed.isEmpty { try add(.text(trimmed), as: "text", to: &members) }
    return (Self.local(full), Self.object(members))
  }

  private mutating func add(_ value: JSON, as key: String, to members: inout [String: [JSON]]) throws(XMLError) {
    nodes += 1
    guard nodes <= Self.mostNodes else { throw error("more than \(Self.mostNodes) elements and attributes") }
    guard nodes % 256 != 0 || WorkTurn.mayContinue else { throw error("the reading was stopped") }
    members[key, default: []].append(value)
  }

  private static func object(_ members: [String: [JSON]]) -> JSON {
    .object(members.mapValues { $0.count == 1 ? $0[0] : .array($0) })
  }

  private static func local(_ name: String) -> String {
    String(name.split(separator: ":").last ?? "").lowercased()
  }

  // MARK: Text

  /// Returns the text without white space at its ends.
  private static func trimmed(_ text: String) -> String {
    guard !text.hasPlainEnds else { return text }
    let start = text.drop { $0.isWhitespace }
    return String(start.reversed().drop { $0.isWhitespace }.reversed())
  }

  private mutating func attribute() throws(XMLError) -> String {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") else {
      throw error("expected a quoted value")
    }
    let quote = bytes[position]
    position += 1
    let text = try characters(until: quote)
    position += 1
    return text
  }

  /// Reads text up to a byte. The byte itself is not consumed.
  private mutating func characters(until end: UInt8) throws(XMLError) -> String {
    var text = ""
    var start = position
    while position < bytes.count, bytes[position] != end {
      if bytes[position] == UInt8(ascii: "<") { throw error("< in a value") }
      if bytes[position] == UInt8(ascii: "&") {
        text += try string(start..<position)
        text.unicodeScalars.append(try reference())
        start = position
      } else {
        position += 1
      }
    }
    guard position < bytes.count else { throw error("the text is not complete") }
    return text + (try string(start..<position))
  }

  private mutating func reference() throws(XMLError) -> Unicode.Scalar {
    for (text, scalar) in [("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&quot;", "\""), ("&apos;", "'")]
      as [(String, Unicode.Scalar)] where accept(text)
    { return scalar }
    guard accept("&#") else { throw error("an entity that XML does not define") }
    let radix = accept("x") ? 16 : 10
    var number: UInt32 = 0
    var count = 0
    while position < bytes.count, let digit = Character(UnicodeScalar(bytes[position])).hexDigitValue, digit < radix {
      number = number * UInt32(radix) + UInt32(digit)
      (position, count) = (position + 1, count + 1)
      guard count <= 7 else { throw error("a character that does not exist") }
    }
    guard count > 0, accept(";"), let scalar = Unicode.Scalar(number), Self.isCharacter(scalar) else {
      throw error("a character that does not exist")
    }
    return scalar
  }

  /// Whether XML 1.0 allows a character.
  private static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
      || scalar == "\t" || scalar == "\n" || scalar == "\r"
  }

  private func string(_ range: Range<Int>) throws(XMLError) -> String {
    guard let text = String(validating: bytes[range], as: UTF8.self) else {
      throw XMLError(offset: range.lowerBound, message: "expected UTF-8")
    }
    return text
  }

  // MARK: Tokens

  private mutating func skipMisc() throws(XMLError) {
    while true {
      skipSpace()
      if accept("<?") {
        position = try find("?>") + 2
      } else if accept("<!--") {
        position = try find("-->") + 3
      } else if bytes[position...].starts(with: Array("<!".utf8)) {
        throw error("a document type declaration is not allowed")
      } else {
        return
      }
    }
  }

  private mutating func name() throws(XMLError) -> String {
    let start = position
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: ":"), 0x80...:
        position += 1
      default:
        guard position > start, position - start <= 256 else { throw error("expected a name") }
        return try string(start..<position)
      }
    }
    throw error("the text is not complete")
  }

  @discardableResult
  private mutating func skipSpace() -> Bool {
    let start = position
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return position > start
      }
    }
    return position > start
  }

  private mutating func accept(_ text: String) -> Bool {
    guard bytes[position...].starts(with: text.utf8) else { return false }
    position += text.utf8.count
    return true
  }

  private mutating func expect(_ text: String) throws(XMLError) {
    guard accept(text) else { throw error("expected \(text)") }
  }

  private func find(_ text: String) throws(XMLError) -> Int {
    let wanted = Array(text.utf8)
    var index = position
    while index + wanted.count <= bytes.count {
      if bytes[index] == wanted[0], bytes[index..<index + wanted.count].elementsEqual(wanted) { return index }
      index += 1
    }
    throw error("expected \(text)")
  }

  private func error(_ message: String) -> XMLError { XMLError(offset: position, message: message) }
}
