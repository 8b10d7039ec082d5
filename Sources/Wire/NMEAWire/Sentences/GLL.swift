/// Geographic position.
///
///     $GPGLL,3751.6512,S,14507.3604,E,081836.75,A,D*71
///            position                 time      status, mode
///
/// In the oldest format, the sentence ends after the position. It then does not state whether the fix is valid.
struct GLL {
  var time: TimeOfDay?
  var claim: FixClaim
  var coordinates: Coordinates?

  init(parsing fields: inout FieldCursor) throws(RejectReason) {
    coordinates = try fields.coordinates()
    time = fields.isAtEnd ? nil : try fields.time()
    let status = fields.isAtEnd ? 0 : try fields.letter()
    let mode = fields.isAtEnd ? 0 : try fields.letter()
    claim = try FixClaim(status: status, mode: mode)
  }
}
