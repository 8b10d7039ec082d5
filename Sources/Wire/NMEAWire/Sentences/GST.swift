/// GNSS pseudorange error statistics.
///
///     $GPGST,081836.75,1.4,2.1,1.6,31.0,1.9,1.8,3.7*67
///            time      RMS, ellipse: axes and orientation; deviations of latitude, longitude, altitude in metres
struct GST {
  var time: TimeOfDay?
  /// Standard deviation of the horizontal position in metres; `nil` if unknown.
  var horizontalError: Double?

  init(parsing fields: inout FieldCursor) throws(RejectReason) {
    time = try fields.time()
    _ = try fields.unsigned()
    let major = try fields.unsigned()
    let minor = try fields.unsigned()
    _ = try fields.decimal()
    let latitude = try fields.unsigned()
    let longitude = try fields.unsigned()
    _ = try fields.unsigned()
    if let latitude, let longitude {
      horizontalError = Self.root(latitude, longitude)
    } else if let major, let minor {
      horizontalError = Self.root(major, minor)
    }
  }

  private static func root(_ a: Decimal, _ b: Decimal) -> Double {
    let (a, b) = (a.double(), b.double())
    return (a * a + b * b).squareRoot()
  }
}
