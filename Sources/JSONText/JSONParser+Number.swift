extension JSONParser {
  /// A number (RFC 8259, 6), kept as the text it is written in.
  ///
  ///     -0   12   3.14   6.02e23
  mutating func parseNumber() throws(JSONError) {
    let start = position
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    if position < bytes.count, bytes[position] == UInt8(ascii: "0") {
      position += 1
      if position < bytes.count, isDigit(bytes[position]) {
        throw error(.invalidNumber(expected: "no leading zero"), at: start)
      }
    } else {
      try expectDigits("a digit")
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      position += 1
      try expectDigits("a digit behind the point")
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
        position += 1
      }
      try expectDigits("a digit in the exponent")
    }
    nodes.append(
      JSONNode(
        offset: UInt32(start), start: UInt32(start), extent: UInt32(position - start), kind: .number))
  }

  private mutating func expectDigits(_ expected: StaticString) throws(JSONError) {
    let first = position
    while position < bytes.count, isDigit(bytes[position]) { position += 1 }
    if position == first { throw error(.invalidNumber(expected: "\(expected)")) }
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
