/// Recommended minimum specific GNSS data.
///
///     $GPRMC,081836.75,A,3751.6512,S,14507.3604,E,22.40,309.6,130926,11.3,E,D*19
///            time      status, position          knots course date   variation mode
///
/// Receivers before NMEA 0183 2.3 end after the variation, those of 4.1 and later have a navigational status behind the
/// mode; neither is needed.
struct RMC {
  var time: TimeOfDay?
  var claim: FixClaim
  var coordinates: Coordinates?
  /// Knots.
  var speed: Decimal?
  var course: Decimal?
  var date: CalendarDate?

  init(parsing fields: inout FieldCursor) throws(RejectReason) {
    time = try fields.time()
    let status = try fields.letter()
    coordinates = try fields.coordinates()
    speed = try fields.unsigned()
    course = try fields.direction()
    date = try fields.date()
    var mode: UInt8 = 0
    if !fields.isAtEnd { _ = try fields.decimal() }
    if !fields.isAtEnd {
      let side = try fields.letter()
      guard side == 0 || side == 0x45 || side == 0x57 else { throw .malformedField }
    }
    if !fields.isAtEnd { mode = try fields.letter() }
    claim = try FixClaim(status: status, mode: mode)
  }
}
