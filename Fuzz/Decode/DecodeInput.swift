// The input of the fuzzer of decoding, and the bytes that are made from it.

/// The bytes of the input, one by one. After their end, a sequence follows that the last byte determines, so that short
/// inputs create much.
struct Source {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var at = 0
  private var state: UInt32

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    state = UInt32(bytes[bytes.count - 1]) &* 2_654_435_761 | 1
  }

  mutating func next() -> UInt8 {
    if at < bytes.count {
      at += 1
      return bytes[at - 1]
    }
    state = state &* 1_664_525 &+ 1_013_904_223
    return UInt8(truncatingIfNeeded: state >> 24)
  }
}

/// A message that an ECU sends.
struct Message {
  var ecu = ECUAddress.unknown
  var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  /// Whether one of its frames was left out, sent twice or sent too late.
  var isBroken = false
  /// The position of the message among those that were found, from 1; 0 if it was not found yet.
  var turn = 0
}

/// Bytes that are written one after another, in memory that is allocated once.
struct Bytes: ~Copyable {
  private let start: UnsafeMutablePointer<UInt8>
  private let capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    start = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  var all: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }
  func from(_ first: Int) -> UnsafeMutableBufferPointer<UInt8> {
    UnsafeMutableBufferPointer(start: start + first, count: count - first)
  }

  mutating func removeAll() { count = 0 }
  mutating func append(_ byte: UInt8) {
    require(count < capacity, "the harness has too little room")
    start[count] = byte
    count += 1
  }
  mutating func append(hex byte: UInt8) {
    append(digit: byte >> 4)
    append(digit: byte & 0x0F)
  }
  private mutating func append(digit: UInt8) { append(digit < 10 ? 0x30 + digit : 0x37 + digit) }
}
