/// Parses a JSON text strictly according to RFC 8259, from start to end, and appends its values to `nodes`.
///
/// `maximumDepth` limits the parser's recursion. Only strings with escape sequences are copied.
struct JSONParser: ~Copyable, ~Escapable {
  let bytes: Span<UInt8>
  let maximumDepth: Int
  var position = 0
  var nodes: [JSONNode]
  /// Decoded values of strings with escape sequences. The document appends them to the text, and offsets in `nodes`
  /// assume this.
  var decoded: [UInt8]
  /// The arrays and objects that are being parsed, outermost first. The JSON path of an error is made from them.
  var open: [OpenContainer] = []

  /// An array or object that is being parsed.
  struct OpenContainer {
    /// Index of the array's or object's node.
    var node: Int
    /// Index of the key whose value is being parsed; `nil` in arrays and between members.
    var key: Int?
  }

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, maximumDepth: Int, nodes: consuming [JSONNode], decoded: consuming [UInt8]) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
    self.nodes = nodes
    self.decoded = decoded
  }

  /// Parses the text, which must be one value, optionally surrounded by white space.
  mutating func parseText() throws(JSONError) {
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { throw error(.byteOrderMark) }
    skipWhiteSpace()
    guard position < bytes.count else { throw error(.empty) }
    try parseValue()
    skipWhiteSpace()
    if position < bytes.count { throw error(.trailingContent(bytes[position])) }
  }

  private mutating func parseValue() throws(JSONError) {
    guard position < bytes.count else { throw error(.unexpectedEnd(expected: "a value")) }
    switch bytes[position] {
    case UInt8(ascii: "\""): try parseString()
    case UInt8(ascii: "{"): try parseObject()
    case UInt8(ascii: "["): try parseArray()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try parseNumber()
    case UInt8(ascii: "t"): try parseLiteral("true", .true)
    case UInt8(ascii: "f"): try parseLiteral("false", .false)
    case UInt8(ascii: "n"): try parseLiteral("null", .null)
    default: throw error(.unexpectedCharacter(bytes[position], expected: "a value"))
    }
  }

  private mutating func parseLiteral(_ literal: StaticString, _ kind: JSONNode.Kind) throws(JSONError) {
    let start = position
    for index in 0..<literal.utf8CodeUnitCount {
      guard position < bytes.count else { throw error(.unexpectedEnd(expected: "\(literal)")) }
      guard unsafe bytes[position] == literal.utf8Start[index] else {
        throw error(.unexpectedCharacter(bytes[position], expected: "\(literal)"))
      }
      position += 1
    }
    nodes.append(JSONNode(offset: UInt32(start), start: 0, extent: 0, kind: kind))
  }

  private mutating func parseArray() throws(JSONError) {
    let array = try beginContainer(.array)
    if skipped(UInt8(ascii: "]")) { return endContainer(array) }
    while true {
      try parseValue()
      nodes[array].start += 1
      skipWhiteSpace()
      if skipped(UInt8(ascii: "]")) { return endContainer(array) }
      try expect(UInt8(ascii: ","), "',' or ']'")
      skipWhiteSpace()
    }
  }

  private mutating func parseObject() throws(JSONError) {
    let object = try beginContainer(.object)
    if skipped(UInt8(ascii: "}")) { return endContainer(object) }
    while true {
      guard position < bytes.count else { throw error(.unexpectedEnd(expected: "a key in quotes")) }
      guard bytes[position] == UInt8(ascii: "\"") else {
        throw error(.unexpectedCharacter(bytes[position], expected: "a key in quotes"))
      }
      let key = nodes.count
      try parseString()
      nodes[object].start += 1
      open[open.count - 1].key = key
      skipWhiteSpace()
      try expect(UInt8(ascii: ":"), "':'")
      skipWhiteSpace()
      try parseValue()
      skipWhiteSpace()
      if skipped(UInt8(ascii: "}")) {
        open[open.count - 1].key = nil
        try refuseDuplicateKeys(of: object)
        return endContainer(object)
      }
      try expect(UInt8(ascii: ","), "',' or '}'")
      open[open.count - 1].key = nil
      skipWhiteSpace()
    }
  }

  private mutating func beginContainer(_ kind: JSONNode.Kind) throws(JSONError) -> Int {
    guard open.count < maximumDepth else { throw error(.tooDeep(limit: maximumDepth)) }
    let index = nodes.count
    nodes.append(JSONNode(offset: UInt32(position), start: 0, extent: 0, kind: kind))
    open.append(OpenContainer(node: index))
    position += 1
    skipWhiteSpace()
    return index
  }

  private mutating func endContainer(_ index: Int) {
    nodes[index].extent = UInt32(nodes.count)
    open.removeLast()
  }

  @inline(__always)
  private mutating func skipWhiteSpace() {
    while position < bytes.count, bytes[position] <= 0x20 {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  @inline(__always)
  private mutating func skipped(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  @inline(__always)
  private mutating func expect(_ byte: UInt8, _ expected: StaticString) throws(JSONError) {
    guard position < bytes.count else { throw error(.unexpectedEnd(expected: "\(expected)")) }
    guard bytes[position] == byte else {
      throw error(.unexpectedCharacter(bytes[position], expected: "\(expected)"))
    }
    position += 1
  }

  /// Returns an error at `position`, or at another offset if one is given.
  func error(_ kind: JSONError.Kind, at offset: Int? = nil) -> JSONError {
    let offset = offset ?? position
    let place = TextPosition(of: offset, in: bytes)
    return JSONError(kind, line: place.line, column: place.column, offset: offset, path: openPath)
  }
}
