/// A position, with values that are computed from it once, because the distances to all fences need them.
struct Place: BitwiseCopyable {
  let position: GeoPosition
  /// Longitude rounded to 1e-7°. It is used to decide whether the place is inside or outside a fence.
  let x: Int64
  /// Latitude rounded to 1e-7°. It is used to decide whether the place is inside or outside a fence.
  let y: Int64
  let sine: Double
  let cosine: Double
  /// Metres to the east that correspond to 1e-7° of longitude.
  let metresPerX: Double
  /// Metres to the north that correspond to 1e-7° of latitude.
  let metresPerY: Double
  let point: SpacePoint

  init(_ position: GeoPosition) {
    self.position = position
    x = Grid.units(position.longitude)
    y = Grid.units(position.latitude)
    let (sine, cosine) = sineAndCosine(degrees: position.latitude)
    self.sine = sine
    self.cosine = cosine
    let radii = Ellipsoid.radii(sine: sine)
    metresPerX = radii.normal * cosine * Grid.radians
    metresPerY = radii.meridian * Grid.radians
    point = SpacePoint(sine: sine, cosine: cosine, longitude: position.longitude)
  }

  func reach(_ metres: Double) -> Reach { Reach(metres: metres, sine: sine, cosine: cosine) }
}
