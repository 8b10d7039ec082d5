/// A position with derived values that distance computations need, computed once for all fences.
struct Place: BitwiseCopyable {
  let position: GeoPosition
  /// Rounded coordinates, 1e-7°. They decide between inside and outside.
  let x: Int64
  let y: Int64
  let sine: Double
  let cosine: Double
  /// Metres to the east for 1e-7° of longitude.
  let metresPerX: Double
  /// Metres to the north for 1e-7° of latitude.
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
