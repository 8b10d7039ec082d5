/// Opens messages that were sealed with a symmetric key by NaCl's `crypto_secretbox`: XSalsa20 and Poly1305.
///
/// OwnTracks encrypts its messages in this way. swift-crypto has neither of the two algorithms.
enum SecretBox {
  /// Opens a message: a nonce of 24 bytes, a tag of 16 bytes, and the encrypted text.
  ///
  /// - Parameter key: at most 32 bytes; shorter keys are filled up with zeros.
  /// - Returns: `nil` if the key is wrong, or if the message was changed.
  static func open(_ message: [UInt8], key: [UInt8]) -> [UInt8]? {
    guard message.count >= 40, key.count <= 32 else { return nil }
    let padded = key + [UInt8](repeating: 0, count: 32 - key.count)
    let (nonce, tag, sealed) = (message[..<24], message[24..<40], message[40...])
    let subkey = Salsa20.hashedKey(padded, nonce: nonce.prefix(16))
    var stream = Salsa20(key: subkey, nonce: nonce.suffix(8))
    // The first 32 bytes of the key stream are the key of Poly1305.
    let head = stream.nextBlock()
    let expected = Poly1305.tag(of: sealed, key: Array(head[..<32]))
    // The comparison takes the same time for all tags.
    guard zip(expected, tag).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else { return nil }
    var mask = Array(head[32...])
    var text: [UInt8] = []
    text.reserveCapacity(sealed.count)
    var index = 0
    for byte in sealed {
      if index == mask.count { (mask, index) = (stream.nextBlock(), 0) }
      text.append(byte ^ mask[index])
      index += 1
    }
    return text
  }
}

/// The stream cipher Salsa20 with 20 rounds (D. J. Bernstein, "Salsa20 specification").
struct Salsa20 {
  private var words: [UInt32]

  /// - Parameters:
  ///   - key: 32 bytes.
  ///   - nonce: 8 bytes.
  init(key: [UInt8], nonce: ArraySlice<UInt8>) {
    words = Self.state(key, Self.words(nonce) + [0, 0])
  }

  /// The constant words: "expand 32-byte k".
  private static let constants: [UInt32] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574]

  private static func state(_ key: [UInt8], _ input: [UInt32]) -> [UInt32] {
    let key = words(key[...])
    return [constants[0]] + key[..<4] + [constants[1]] + input + [constants[2]] + key[4...] + [constants[3]]
  }

  /// Returns the next 64 bytes of the key stream.
  mutating func nextBlock() -> [UInt8] {
    let mixed = Self.rounds(words)
    let block = Self.bytes(zip(mixed, words).map { $0 &+ $1 })
    words[8] &+= 1
    if words[8] == 0 { words[9] &+= 1 }
    return block
  }

  /// Returns the key for a nonce of 16 bytes (HSalsa20), as XSalsa20 uses it.
  static func hashedKey(_ key: [UInt8], nonce: ArraySlice<UInt8>) -> [UInt8] {
    let mixed = rounds(state(key, words(nonce)))
    return bytes([0, 5, 10, 15, 6, 7, 8, 9].map { mixed[$0] })
  }

  private static func rounds(_ words: [UInt32]) -> [UInt32] {
    var x = words
    func quarter(_ a: Int, _ b: Int, _ c: Int, _ d: Int) {
      x[b] ^= rotated(x[a] &+ x[d], 7)
      x[c] ^= rotated(x[b] &+ x[a], 9)
      x[d] ^= rotated(x[c] &+ x[b], 13)
      x[a] ^= rotated(x[d] &+ x[c], 18)
    }
    for _ in 0..<10 {
      // Columns, then rows.
      quarter(0, 4, 8, 12)
      quarter(5, 9, 13, 1)
      quarter(10, 14, 2, 6)
      quarter(15, 3, 7, 11)
      quarter(0, 1, 2, 3)
      quarter(5, 6, 7, 4)
      quarter(10, 11, 8, 9)
      quarter(15, 12, 13, 14)
    }
    return x
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }

  private static func words(_ bytes: ArraySlice<UInt8>) -> [UInt32] {
    let bytes = Array(bytes)
    return stride(from: 0, to: bytes.count, by: 4).map { start in
      (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) }
    }
  }

  private static func bytes(_ words: [UInt32]) -> [UInt8] {
    words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(8 * $0)) } }
  }
}

/// The one-time authenticator Poly1305 (RFC 8439, 2.5), with numbers of five digits to the base 2^26.
enum Poly1305 {
  private static let mask: UInt64 = 0x3FF_FFFF

  /// Returns the tag of 16 bytes.
  ///
  /// - Parameter key: 32 bytes, for one message only.
  static func tag(of message: ArraySlice<UInt8>, key: [UInt8]) -> [UInt8] {
    var clamped = Array(key[..<16])
    for index in [3, 7, 11, 15] { clamped[index] &= 15 }
    for index in [4, 8, 12] { clamped[index] &= 252 }
    let r = digits(clamped)
    var sum = [UInt64](repeating: 0, count: 5)
    var start = message.startIndex
    while start < message.endIndex {
      let end = min(start + 16, message.endIndex)
      let block = digits(Array(message[start..<end]) + [1])
      for index in 0..<5 { sum[index] += block[index] }
      sum = product(sum, r)
      start = end
    }
    return finish(sum, key)
  }

  private static func digits(_ bytes: [UInt8]) -> [UInt64] {
    var digits = [UInt64](repeating: 0, count: 5)
    for (index, byte) in bytes.enumerated() {
      let bit = 8 * index
      let value = UInt64(byte) << UInt64(bit % 26)
      digits[bit / 26] |= value & mask
      if bit / 26 < 4 { digits[bit / 26 + 1] |= value >> 26 }
    }
    return digits
  }

  /// Returns the product modulo 2^130 − 5, not completely reduced.
  private static func product(_ a: [UInt64], _ b: [UInt64]) -> [UInt64] {
    var sums = [UInt64](repeating: 0, count: 5)
    for i in 0..<5 {
      for j in 0..<5 {
        // 2^130 is 5 modulo the prime.
        sums[(i + j) % 5] += a[i] * b[j] * (i + j >= 5 ? 5 : 1)
      }
    }
    return carried(carried(sums))
  }

  private static func carried(_ digits: [UInt64]) -> [UInt64] {
    var (digits, carry): ([UInt64], UInt64) = (digits, 0)
    for index in 0..<5 {
      digits[index] += carry
      carry = digits[index] >> 26
      digits[index] &= mask
    }
    digits[0] += carry * 5
    return digits
  }

  private static func finish(_ sum: [UInt64], _ key: [UInt8]) -> [UInt8] {
    var digits = carried(carried(sum))
    // Subtract the prime if the number is not below it: add 5 and look at bit 130.
    var more = digits
    more[0] += 5
    for index in 0..<4 {
      more[index + 1] += more[index] >> 26
      more[index] &= mask
    }
    let isAbove = more[4] >> 26
    more[4] &= mask
    let chosen = UInt64(0) &- isAbove
    for index in 0..<5 { digits[index] = digits[index] & ~chosen | more[index] & chosen }
    var (tag, carry): ([UInt8], UInt64) = ([], 0)
    for index in 0..<16 {
      let bit = 8 * index
      var byte = digits[bit / 26] >> UInt64(bit % 26)
      if bit % 26 > 18, bit / 26 < 4 { byte |= digits[bit / 26 + 1] << UInt64(26 - bit % 26) }
      carry += (byte & 0xFF) + UInt64(key[16 + index])
      tag.append(UInt8(truncatingIfNeeded: carry))
      carry >>= 8
    }
    return tag
  }
}
