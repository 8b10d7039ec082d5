/// True heading, of a gyrocompass or of a receiver with two antennas.
///
///     $HEHDT,311.4,T*28
struct HDT {
  /// Degrees true.
  var heading: Decimal?

  init(parsing fields: inout FieldCursor) throws(RejectReason) {
    heading = try fields.direction()
    try fields.unit(0x54)
  }
}
