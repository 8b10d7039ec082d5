/// Reads the comma-separated fields of one sentence, each as what it must be.
///
/// A field that is empty is nil: the receiver does not know. A field that is there and cannot be read refuses the whole
/// sentence, for a checksum of eight bits passes one damaged sentence in 256.
struct FieldCursor: ~Escapable {
  /// The sentence's bytes behind `$`, up to and with the `*`, so that every field has a byte behind it.
  private let bytes: Span<UInt8>
  private var index: Int

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

  /// A number with or without sign and decimals; nil for an empty field.
  @_lifetime(self: copy self)
  mutating func decimal() throws(RejectReason) -> Decimal? {
    try begin()
    let sign = bytes[index]
    if isDelimiter(sign) {
      end()
      return nil
    }
    if sign == 0x2D || sign == 0x2B { index &+= 1 }
    var number = try digits()
    if sign == 0x2D { number.value = -number.value }
    try close()
    return number
  }

  /// A number that cannot be negative; nil for an empty field.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func unsigned() throws(RejectReason) -> Decimal? {
    guard let number = try decimal() else { return nil }
    guard number.value >= 0 else { throw .impossibleValue }
    return number
  }

  /// A whole number of at most four digits; nil for an empty field.
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

  /// Passes over fields of at most four digits, of which others follow.
  @_lifetime(self: copy self)
  mutating func skipIntegers(_ count: Int) throws(RejectReason) {
    try begin()
    var remaining = count
    var digits = 0
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

  /// A direction in degrees, 0...360; nil for an empty field.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func direction() throws(RejectReason) -> Decimal? {
    guard let angle = try unsigned() else { return nil }
    guard angle.double() <= 360 else { throw .impossibleValue }
    return angle
  }

  /// `hhmmss` or `hhmmss.sss`; nil for an empty field.
  @_lifetime(self: copy self)
  mutating func time() throws(RejectReason) -> TimeOfDay? {
    try begin()
    if isDelimiter(bytes[index]) {
      end()
      return nil
    }
    let hour = try twoDigits()
    let minute = try twoDigits()
    let second = try twoDigits()
    var nanosecond = 0
    if bytes[index] == 0x2E {
      index &+= 1
      var unit = 100_000_000
      while let digit = digit(bytes[index]) {
        nanosecond += Int(digit) * unit
        unit /= 10
        index &+= 1
      }
    }
    try close()
    guard let time = TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond) else {
      throw .impossibleValue
    }
    return time
  }

  /// `ddmmyy`: 80–99 are of the century in which GPS began, nothing else can be known of two digits. Nil for an empty field.
  @_lifetime(self: copy self)
  mutating func date() throws(RejectReason) -> CalendarDate? {
    try begin()
    if isDelimiter(bytes[index]) {
      end()
      return nil
    }
    let day = try twoDigits()
    let month = try twoDigits()
    let year = try twoDigits()
    try close()
    guard let date = CalendarDate(year: year >= 80 ? 1900 + year : 2000 + year, month: month, day: day) else {
      throw .impossibleValue
    }
    return date
  }

  /// Latitude and longitude with their hemispheres, four fields: `ddmm.mmmm,N,dddmm.mmmm,E`. Nil where all are empty, or
  /// only the hemispheres are there.
  @_lifetime(self: copy self)
  mutating func coordinates() throws(RejectReason) -> Coordinates? {
    let latitude = try angle(wholeDegreeDigits: 2, limit: 90, positive: 0x4E, negative: 0x53)
    let longitude = try angle(wholeDegreeDigits: 3, limit: 180, positive: 0x45, negative: 0x57)
    guard let latitude, let longitude else {
      guard latitude == nil, longitude == nil else { throw .malformedField }
      return nil
    }
    return Coordinates(latitude: latitude, longitude: longitude)
  }

  private static var mostMinuteDecimals: Int { 11 }

  @_lifetime(self: copy self)
  private mutating func angle(
    wholeDegreeDigits: Int, limit: Int, positive: UInt8, negative: UInt8
  ) throws(RejectReason) -> Angle? {
    try begin()
    if isDelimiter(bytes[index]) {
      end()
      let hemisphere = try letter()
      guard hemisphere == 0 || hemisphere == positive || hemisphere == negative else { throw .malformedField }
      return nil
    }
    var degrees: UInt32 = 0
    for _ in 0..<wholeDegreeDigits { degrees = degrees * 10 + (try oneDigit()) }
    let tensOfMinutes = try oneDigit()
    let wholeMinutes = tensOfMinutes * 10 + (try oneDigit())
    guard wholeMinutes < 60, Int(degrees) <= limit else { throw .impossibleValue }
    var minutes = Decimal(value: Int64(widening: degrees * 60 + wholeMinutes), scale: 0)
    if bytes[index] == 0x2E {
      index &+= 1
      while let digit = digit(bytes[index]) {
        index &+= 1
        // 10⁻¹¹ minutes are a ten-thousandth of a millimetre; beyond them the quotient would no longer be exact.
        guard minutes.scale < Self.mostMinuteDecimals else { continue }
        minutes.value = minutes.value * 10 + Int64(widening: digit)
        minutes.scale += 1
      }
    }
    try close()
    let angle = Angle(minutes: minutes)
    guard angle.degrees <= Double(limit) else { throw .impossibleValue }
    switch try letter() {
    case positive: return angle
    case negative: return Angle(minutes: Decimal(value: -minutes.value, scale: minutes.scale))
    default: throw .malformedField
    }
  }

  /// Digits with or without a point; at least one.
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
    // 18 digits are what 64 bits hold of any number.
    guard count > 0, count <= 18 else { throw .malformedField }
    return number
  }

  @inline(__always)
  @_lifetime(self: copy self)
  private mutating func twoDigits() throws(RejectReason) -> Int {
    let tens = try oneDigit()
    return Int(tens * 10 + (try oneDigit()))
  }

  @inline(__always)
  @_lifetime(self: copy self)
  private mutating func oneDigit() throws(RejectReason) -> UInt32 {
    guard let digit = digit(bytes[index]) else { throw .malformedField }
    index &+= 1
    return digit
  }

  @inline(__always)
  private func begin() throws(RejectReason) {
    guard !isAtEnd else { throw .missingField }
  }

  /// The byte at `index` must be the field's delimiter.
  @inline(__always)
  @_lifetime(self: copy self)
  private mutating func close() throws(RejectReason) {
    guard isDelimiter(bytes[index]) else { throw .malformedField }
    end()
  }

  @inline(__always)
  @_lifetime(self: copy self)
  private mutating func end() {
    index &+= 1
  }

  @inline(__always)
  private func digit(_ byte: UInt8) -> UInt32? {
    let value = byte &- 0x30
    return value < 10 ? UInt32(value) : nil
  }

  @inline(__always)
  private func isDelimiter(_ byte: UInt8) -> Bool { byte == 0x2C || byte == 0x2A }
}

/// A position as a sentence gives it.
struct Coordinates: BitwiseCopyable {
  var latitude: Angle
  var longitude: Angle

  /// How many decimals both have together: of two sentences of one epoch, the finer one is the truer.
  var decimals: Int { latitude.minutes.scale + longitude.minutes.scale }
}
