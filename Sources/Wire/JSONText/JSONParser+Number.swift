extension JSONParser {
  /// Parses a number (RFC 8259, section 6) and keeps its text. Examples:
  ///
  ///     -0   12   3.14   6.02e23
  mutating func parseNumber() throws(JSONError) {
    let start = position
    var next = position
    if bytes[next] == UInt8(ascii: "-") { next &+= 1 }
    if next < bytes.count, bytes[next] == UInt8(ascii: "0") {
      next &+= 1
      if next < bytes.count, isDigit(bytes[next]) {
        throw error(.invalidNumber(expected: "no leading zero"), at: start)
      }
    } else {
      next = try digits(from: next, "a digit")
    }
    if next < bytes.count, bytes[next] == UInt8(ascii: ".") {
      next = try digits(from: next &+ 1, "a digit behind the point")
    }
    if next < bytes.count, bytes[next] | 0x20 == UInt8(ascii: "e") {
      next &+= 1
      if next < bytes.count, bytes[next] == UInt8(ascii: "+") || bytes[next] == UInt8(ascii: "-") { next &+= 1 }
      next = try digits(from: next, "a digit in the exponent")
    }
    position = next
    nodes.append(
      JSONNode(offset: UInt32(start), start: UInt32(start), extent: UInt32(next - start), kind: .number))
  }

  /// Skips decimal digits, and returns the offset after them. There must be at least one digit.
  @inline(__always)
  private func digits(from first: Int, _ expected: StaticString) throws(JSONError) -> Int {
    var next = first
    while next < bytes.count, isDigit(bytes[next]) { next &+= 1 }
    if next == first { throw error(.invalidNumber(expected: "\(expected)"), at: first) }
    return next
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
