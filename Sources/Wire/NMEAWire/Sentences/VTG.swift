/// Course over ground and ground speed.
///
///     $GPVTG,309.6,T,298.3,M,22.40,N,41.48,K,D*27
///            true    magnetic knots   km/h   mode
struct VTG {
  var claim: FixClaim
  /// Course over ground in degrees true; `nil` if unknown.
  var course: Decimal?
  /// Speed over ground in knots; `nil` if unknown.
  var knots: Decimal?
  /// Speed over ground in km/h; `nil` if unknown.
  var speed: Decimal?

  init(parsing fields: inout FieldCursor) throws(RejectReason) {
    course = try fields.direction()
    try fields.unit(0x54)
    _ = try fields.direction()
    try fields.unit(0x4D)
    knots = try fields.unsigned()
    try fields.unit(0x4E)
    speed = try fields.unsigned()
    try fields.unit(0x4B)
    claim = fields.isAtEnd ? .silent : try FixClaim(mode: try fields.letter())
  }
}
