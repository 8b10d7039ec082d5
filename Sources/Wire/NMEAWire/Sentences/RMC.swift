/// Recommended minimum specific GNSS data.
///
///     $GPRMC,081836.75,A,3751.6512,S,14507.3604,E,22.40,309.6,130926,11.3,E,D*19
///            time      status, position          knots course date   variation mode
///
/// Before version 2.3 of NMEA 0183, the sentence ends after the variation. Since version 4.1, a navigational status
/// follows the mode. All these formats are accepted.
struct RMC {
  var time: TimeOfDay?
  var claim: FixClaim
  var coordinates: Coordinates?
  /// Speed over ground in knots; `nil` if unknown.
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
    let mode = try fields.modeBehindVariation()
    claim = try FixClaim(status: status, mode: mode)
  }
}

extension FieldCursor {
  /// Skips the magnetic variation and its direction, and returns the mode after them; 0 if there is none.
  ///
  /// Some receivers (SiRF II, Saab R4) omit the direction and send the mode instead. An E in the last field means east
  /// if a variation precedes it; otherwise, it is the mode "estimated".
  @_lifetime(self: copy self)
  mutating func modeBehindVariation() throws(RejectReason) -> UInt8 {
    guard !isAtEnd else { return 0 }
    let variation = try decimal()
    guard !isAtEnd else { return 0 }
    let side = try letter()
    switch side {
    case 0, 0x57: return isAtEnd ? 0 : try letter()
    case 0x45: return isAtEnd ? (variation == nil ? side : 0) : try letter()
    default:
      guard isAtEnd else { throw .malformedField }
      return side
    }
  }
}
