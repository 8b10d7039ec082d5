extension FieldCursor {
  /// Reads a number with optional sign and decimals; `nil` if the field is empty.
  @_lifetime(self: copy self)
  mutating func decimal() throws(RejectReason) -> Decimal? {
    try begin()
    if isDelimiter(bytes[index]) {
      end()
      return nil
    }
    if let number = shortNumber() { return number }
    return try longNumber()
  }

  /// Reads a number with an optional sign and at most 18 digits. The field must not be empty.
  @_lifetime(self: copy self)
  mutating func longNumber() throws(RejectReason) -> Decimal {
    let sign = bytes[index]
    if sign == 0x2D || sign == 0x2B { index &+= 1 }
    var number = try digits()
    if sign == 0x2D { number.value = -number.value }
    try close()
    return number
  }

  /// Reads a number that must not be negative; `nil` if the field is empty.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func unsigned() throws(RejectReason) -> Decimal? {
    guard let number = try decimal() else { return nil }
    guard number.value >= 0 else { throw .impossibleValue }
    return number
  }

  /// Reads a whole number of at most four digits; `nil` if the field is empty.
  @_lifetime(self: copy self)
  mutating func integer() throws(RejectReason) -> Int? {
    try begin()
    let first = index
    var value = 0
    while let digit = digit(bytes[index]) {
      value = value * 10 + Int(digit)
      index &+= 1
      guard index - first <= 4 else { throw .malformedField }
    }
    let isEmpty = index == first
    try close()
    return isEmpty ? nil : value
  }

  /// Skips `count` fields, each of which is empty or has at most four digits. The last field of the sentence must not
  /// be one of them.
  @_lifetime(self: copy self)
  mutating func skipIntegers(_ count: Int) throws(RejectReason) {
    try begin()
    var remaining = count
    var digits = skipShortIntegers(&remaining)
    while remaining > 0 {
      let byte = bytes[index]
      if byte == 0x2C {
        remaining &-= 1
        digits = 0
      } else if digit(byte) != nil, digits < 4 {
        digits &+= 1
      } else {
        throw byte == 0x2A ? .missingField : .malformedField
      }
      index &+= 1
    }
  }

  /// Reads a direction in degrees, 0...360; `nil` if the field is empty.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func direction() throws(RejectReason) -> Decimal? {
    guard let angle = try unsigned() else { return nil }
    guard angle.isAtMost(360) else { throw .impossibleValue }
    return angle
  }

  /// Reads a number without a sign: 1 to 18 digits, with an optional decimal point.
  @inline(__always)
  @_lifetime(self: copy self)
  private mutating func digits() throws(RejectReason) -> Decimal {
    var number = Decimal(value: 0, scale: 0)
    var count = 0
    while let digit = digit(bytes[index]) {
      number.value = number.value &* 10 &+ Int64(widening: digit)
      count += 1
      index &+= 1
    }
    if bytes[index] == 0x2E {
      index &+= 1
      while let digit = digit(bytes[index]) {
        number.value = number.value &* 10 &+ Int64(widening: digit)
        number.scale += 1
        count += 1
        index &+= 1
      }
    }
    // A number of at most 18 digits fits 64 bits.
    guard count > 0, count <= 18 else { throw .malformedField }
    return number
  }
}
