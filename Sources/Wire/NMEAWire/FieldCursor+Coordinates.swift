/// The geographic position in a sentence.
struct Coordinates: BitwiseCopyable {
  var latitude: Angle
  var longitude: Angle

  /// Total number of decimals of both angles. If two positions in one epoch differ, the one with more decimals is used.
  var decimals: Int { latitude.minutes.scale + longitude.minutes.scale }
}

extension FieldCursor {
  /// Reads latitude and longitude with their hemispheres from four fields: `ddmm.mmmm,N,dddmm.mmmm,E`.
  ///
  /// - Returns: `nil` if both angles are empty, with or without hemispheres.
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
    if let angle = shortAngle(
      wholeDegreeDigits: wholeDegreeDigits, limit: limit, positive: positive, negative: negative)
    {
      return angle
    }
    return try longAngle(
      wholeDegreeDigits: wholeDegreeDigits, limit: limit, positive: positive, negative: negative)
  }

  /// Reads a latitude or longitude whose minutes have any number of decimals; `nil` if the field is empty. Decimals
  /// after the eleventh are ignored.
  @_lifetime(self: copy self)
  mutating func longAngle(
    wholeDegreeDigits: Int, limit: Int, positive: UInt8, negative: UInt8
  ) throws(RejectReason) -> Angle? {
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
        // Ignore further decimals: 10⁻¹¹ minutes are less than a ten-thousandth of a millimetre, and with more digits
        // the conversion to degrees would not be exact.
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
}
