/// Reads the comma-separated fields of one sentence from start to end.
///
/// An empty field is read as `nil`, because the receiver does not know the value. If a field cannot be read, the whole
/// sentence is rejected, because the eight-bit checksum of one in 256 damaged sentences is correct by chance.
struct FieldCursor: ~Escapable {
  /// The sentence after its `$`, up to and including the `*` before the checksum, so that every field is followed by a
  /// delimiter.
  let bytes: Span<UInt8>
  /// Index of the next byte of `bytes` to read.
  var index: Int

  /// Creates a cursor.
  ///
  /// - Parameter body: the sentence from its address to the `*` of the checksum.
  @_lifetime(copy body)
  init(_ body: Span<UInt8>) {
    bytes = body
    index = 0
  }

  /// Whether the last field of the sentence has been read.
  var isAtEnd: Bool {
    @inline(__always) get { index >= bytes.count }
  }

  /// Skips a field with any content.
  @_lifetime(self: copy self)
  mutating func skip() throws(RejectReason) {
    try begin()
    while !isDelimiter(bytes[index]) { index &+= 1 }
    end()
  }

  /// Reads a field of one character; 0 if the field is empty.
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

  /// The next byte of the current field; `nil` after the last field.
  var peek: UInt8? { isAtEnd ? nil : bytes[index] }

  /// Reads the next character of a field. At the end of the field, it reads the delimiter and returns `nil`.
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

  /// Reads a field with the letter of a unit or a reference. The field must contain the letter `expected` or be empty.
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

  /// Throws ``RejectReason/missingField`` if the sentence has no further field.
  @inline(__always)
  func begin() throws(RejectReason) {
    guard !isAtEnd else { throw .missingField }
  }

  /// Reads the delimiter of the field, and throws if the byte at `index` is not a delimiter.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func close() throws(RejectReason) {
    guard isDelimiter(bytes[index]) else { throw .malformedField }
    end()
  }

  /// Reads the delimiter, which the caller knows to be at `index`.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func end() {
    index &+= 1
  }

  /// Returns the value of a decimal digit; `nil` for any other byte.
  @inline(__always)
  func digit(_ byte: UInt8) -> UInt32? {
    let value = byte &- 0x30
    return value < 10 ? UInt32(value) : nil
  }

  /// Whether a byte ends a field: `,`, or `*` after the last field.
  @inline(__always)
  func isDelimiter(_ byte: UInt8) -> Bool { byte == 0x2C || byte == 0x2A }
}
