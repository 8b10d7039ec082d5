/// Global Positioning System fix data.
///
///     $GPGGA,081836.75,3751.65121,S,14507.36041,E,2,09,0.9,88.4,M,-3.2,M,2.0,0120*75
///            time      position               quality, satellites, HDOP, altitude, geoid, age and station
struct GGA {
  var time: TimeOfDay?
  var claim: FixClaim
  var coordinates: Coordinates?
  var satellites: Int?
  var hdop: Decimal?
  /// Altitude above mean sea level in metres; `nil` if unknown.
  var altitude: Decimal?

  init(parsing fields: inout FieldCursor) throws(RejectReason) {
    time = try fields.time()
    coordinates = try fields.coordinates()
    claim = try FixClaim(quality: try fields.letter())
    satellites = try fields.integer()
    hdop = try fields.unsigned()
    altitude = try fields.decimal()
    try fields.unit(0x4D)
    _ = try fields.decimal()
    try fields.unit(0x4D)
    // The last two fields are the age of the corrections and their station. Some receivers leave them empty or omit one
    // of them.
    if !fields.isAtEnd { _ = try fields.unsigned() }
    // The name of the station may contain letters, as with some correction services (TSTR).
    if !fields.isAtEnd { try fields.skip() }
  }
}
