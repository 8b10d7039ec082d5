/// Returns the sine and cosine of an angle in degrees, each with an error below 3e-16.
///
/// The angle is reduced to −45…45°, where the Taylor series up to the 17th power has an error below 1e-17.
func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
  let quarters = (degrees / 90).rounded()
  // This difference is exact: a multiple of 90, which has at most 9 bits, is subtracted from a number near it.
  let angle = (degrees - quarters * 90) * radiansPerDegree
  let square = angle * angle
  var sine = 1 / 355_687_428_096_000.0
  sine = sine * square - 1 / 1_307_674_368_000.0
  sine = sine * square + 1 / 6_227_020_800.0
  sine = sine * square - 1 / 39_916_800.0
  sine = sine * square + 1 / 362_880.0
  sine = sine * square - 1 / 5_040.0
  sine = sine * square + 1 / 120.0
  sine = sine * square - 1 / 6.0
  sine = angle + angle * square * sine
  var cosine = 1 / 20_922_789_888_000.0
  cosine = cosine * square - 1 / 87_178_291_200.0
  cosine = cosine * square + 1 / 479_001_600.0
  cosine = cosine * square - 1 / 3_628_800.0
  cosine = cosine * square + 1 / 40_320.0
  cosine = cosine * square - 1 / 720.0
  cosine = cosine * square + 1 / 24.0
  cosine = 1 - square / 2 + square * square * cosine
  switch Int(quarters) & 3 {
  case 0: return (sine, cosine)
  case 1: return (cosine, -sine)
  case 2: return (-sine, -cosine)
  default: return (-cosine, sine)
  }
}

let radiansPerDegree = Double.pi / 180
