/// The checksum CRC-32 that Ethernet, zip and PNG use (ISO 3309; reflected, polynomial 04C11DB7). The checksum of
/// `123456789` is CBF43926.
///
/// SQLite detects damage to the structure of a page, but not to the values in a row. This checksum prevents the
/// delivery of records with damaged values.
struct CRC32 {
  private var state: UInt32 = .max

  /// The checksum of all bytes that were added so far.
  var value: UInt32 { ~state }

  /// Adds the bytes of a span.
  mutating func update(_ bytes: Span<UInt8>) {
    let table = remainders.span
    var state = state
    for index in bytes.indices { state = table[Int((state ^ UInt32(bytes[index])) & 0xFF)] ^ state >> 8 }
    self.state = state
  }

  /// Adds a number as 8 bytes, the least significant one first.
  mutating func update(_ number: UInt64) {
    let table = remainders.span
    var rest = number
    for _ in 0..<8 {
      state = table[Int((state ^ UInt32(truncatingIfNeeded: rest)) & 0xFF)] ^ state >> 8
      rest >>= 8
    }
  }
}

private let remainders: [UInt32] = (0..<256).map { index in
  (0..<8).reduce(UInt32(index)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
}
