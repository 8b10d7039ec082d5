/// A position, and how far it is from one nearby: the legs between a vehicle's fixes.
///
/// Lengths of a degree on WGS 84 by the series of the National Geospatial-Intelligence Agency, exact to a centimetre in a
/// degree, which make legs of some kilometres right to a millionth.
struct GroundPoint: BitwiseCopyable, Equatable {
  /// Degrees, north positive.
  var latitude: Double
  /// Degrees, east positive.
  var longitude: Double

  /// Whether it is a position at all.
  var isOnEarth: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }

  /// Metres.
  func distance(to other: GroundPoint) -> Double {
    let cosine = Self.cosine(degrees: (latitude + other.latitude) / 2)
    let square = cosine * cosine
    let double = 2 * square - 1
    let north = 111_132.954 - 559.822 * double + 1.175 * (2 * double * double - 1)
    let triple = cosine * (4 * square - 3)
    let quintuple = cosine * (square * (16 * square - 20) + 5)
    let east = 111_412.84 * cosine - 93.5 * triple + 0.118 * quintuple
    var turn = other.longitude - longitude
    // The shorter way round.
    if turn > 180 { turn -= 360 } else if turn < -180 { turn += 360 }
    let (x, y) = (turn * east, (other.latitude - latitude) * north)
    return (x * x + y * y).squareRoot()
  }

  /// Of a latitude, within 1e-8: the Taylor series to the twelfth power.
  private static func cosine(degrees: Double) -> Double {
    let angle = degrees * (.pi / 180)
    let square = angle * angle
    var sum = 1 / 479_001_600.0
    sum = sum * square - 1 / 3_628_800.0
    sum = sum * square + 1 / 40_320.0
    sum = sum * square - 1 / 720.0
    sum = sum * square + 1 / 24.0
    sum = sum * square - 1 / 2.0
    return sum * square + 1
  }
}
