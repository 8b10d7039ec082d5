/// CRC-32 as Ethernet, zip and PNG have it (ISO 3309; reflected, polynomial 04C11DB7): `123456789` gives CBF43926.
///
/// SQLite finds damage in how a page is built, not in what a row says; a record with a wrong figure in it must not
/// leave.
struct Checksum {
  private var state: UInt32 = .max

  /// The sum over everything so far.
  var value: UInt32 { ~state }

  /// Takes bytes in.
  mutating func update(_ bytes: Span<UInt8>) {
    let table = remainders.span
    var state = state
    for index in bytes.indices { state = table[Int((state ^ UInt32(bytes[index])) & 0xFF)] ^ state >> 8 }
    self.state = state
  }

  /// Takes a number in, its lowest byte first.
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
