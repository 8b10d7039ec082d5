/// True heading from a gyrocompass or a receiver with two antennas.
///
///     $HEHDT,311.4,T*28
struct HDT {
  /// Heading in degrees true; `nil` if unknown.
  var heading: Decimal?

  init(parsing fields: inout FieldCursor) throws(RejectReason) {
    heading = try fields.direction()
    try fields.unit(0x54)
  }
}
