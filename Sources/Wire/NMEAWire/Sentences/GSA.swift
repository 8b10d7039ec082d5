/// GNSS dilution of precision (DOP) and the satellites in use.
///
///     $GPGSA,A,3,02,05,07,13,15,18,20,29,30,,,,1.8,0.9,1.5*33
///            selection, mode (1 none, 2 2D, 3 3D), satellites, PDOP, HDOP, VDOP
///
/// NMEA 0183 4.1 and later append the constellation. The standard has fields for 12 satellites, but some receivers send
/// the numbers of 24. The DOP fields are therefore found by counting from the end.
struct GSA {
  /// Mode 1, 2 or 3; 0 if the field is empty.
  var mode: UInt8
  var hdop: Decimal?

  private static var satellitePlaces: Int { 12 }

  init(parsing fields: inout FieldCursor) throws(RejectReason) {
    let selection = try fields.letter()
    guard selection == 0 || selection == 0x41 || selection == 0x4D else { throw .malformedField }
    switch try fields.letter() {
    case 0: mode = 0
    case 0x31: mode = 1
    case 0x32: mode = 2
    case 0x33: mode = 3
    default: throw .malformedField
    }
    try fields.skipIntegers(Self.satellitePlaces)
    var values: (Decimal?, Decimal?, Decimal?) = (try fields.unsigned(), try fields.unsigned(), try fields.unsigned())
    hdop = values.1
    guard !fields.isAtEnd else { return }
    // If one field follows the DOP fields, it is the constellation, a hexadecimal digit. If more fields follow, the
    // fields that were read as DOP fields are satellites, and the last three fields are the DOP fields.
    let constellation = try fields.hexadecimalOrDecimal()
    guard !fields.isAtEnd else { return }
    values = (values.1, values.2, constellation)
    while !fields.isAtEnd { values = (values.1, values.2, try fields.unsigned()) }
    hdop = values.1
  }
}

extension FieldCursor {
  /// Reads a field that contains either a decimal number, or the hexadecimal digit A to F of a constellation.
  ///
  /// - Returns: the number; `nil` if the field contains A to F or is empty.
  @_lifetime(self: copy self)
  mutating func hexadecimalOrDecimal() throws(RejectReason) -> Decimal? {
    if let letter = peek, (0x41...0x46).contains(letter) {
      _ = try self.letter()
      return nil
    }
    return try unsigned()
  }
}
