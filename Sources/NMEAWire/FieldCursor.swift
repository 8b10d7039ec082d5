/// Reads the comma-separated fields of one sentence, each as what it must be.
///
/// A field that is empty is nil: the receiver does not know. A field that is there and cannot be read refuses the whole
/// sentence, for a checksum of eight bits passes one damaged sentence in 256.
struct FieldCursor: ~Escapable {
  /// The sentence's bytes behind `$`, up to and with the `*`, so that every field has a byte behind it.
  let bytes: Span<UInt8>
  /// The byte that comes next.
  var index: Int

  /// - Parameter body: from the address on, ending with the `*` of the checksum.
  @_lifetime(copy body)
  init(_ body: Span<UInt8>) {
    bytes = body
    index = 0
  }

  /// The field read last was the sentence's last one: behind its `*` there is nothing.
  var isAtEnd: Bool {
    @inline(__always) get { index >= bytes.count }
  }

  /// Passes over a field, whatever stands in it.
  @_lifetime(self: copy self)
  mutating func skip() throws(RejectReason) {
    try begin()
    while !isDelimiter(bytes[index]) { index &+= 1 }
    end()
  }

  /// A single character; 0 for an empty field.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func letter() throws(RejectReason) -> UInt8 {
    try begin()
    let byte = bytes[index]
    if isDelimiter(byte) {
      end()
      return 0
    }
    index &+= 1
    try close()
    return byte
  }

  /// The byte that comes next in the field; nil behind the last field.
  var peek: UInt8? { isAtEnd ? nil : bytes[index] }

  /// The next letter of a field of several; nil, once, at its end.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func nextLetter() throws(RejectReason) -> UInt8? {
    try begin()
    let byte = bytes[index]
    if isDelimiter(byte) {
      end()
      return nil
    }
    index &+= 1
    return byte
  }

  /// A unit or reference letter that must be `expected` where it is given.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func unit(_ expected: UInt8) throws(RejectReason) {
    let byte = try letter()
    guard byte == 0 || byte == expected else { throw .malformedField }
  }

  @inline(__always)
  @_lifetime(self: copy self)
  mutating func twoDigits() throws(RejectReason) -> Int {
    let tens = try oneDigit()
    return Int(tens * 10 + (try oneDigit()))
  }

  @inline(__always)
  @_lifetime(self: copy self)
  mutating func oneDigit() throws(RejectReason) -> UInt32 {
    guard let digit = digit(bytes[index]) else { throw .malformedField }
    index &+= 1
    return digit
  }

  /// A field must be there.
  @inline(__always)
  func begin() throws(RejectReason) {
    guard !isAtEnd else { throw .missingField }
  }

  /// The byte at `index` must be the field's delimiter.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func close() throws(RejectReason) {
    guard isDelimiter(bytes[index]) else { throw .malformedField }
    end()
  }

  /// Passes the delimiter at `index`.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func end() {
    index &+= 1
  }

  /// The value of a decimal digit; nil for any other byte.
  @inline(__always)
  func digit(_ byte: UInt8) -> UInt32? {
    let value = byte &- 0x30
    return value < 10 ? UInt32(value) : nil
  }

  /// `,` behind a field, `*` behind the last.
  @inline(__always)
  func isDelimiter(_ byte: UInt8) -> Bool { byte == 0x2C || byte == 0x2A }
}
