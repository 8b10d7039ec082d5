/// GNSS fix data: the equivalent of GGA for receivers of several constellations.
///
///     $GNGNS,081836.75,3751.65121,S,14507.36041,E,DA,14,0.7,88.4,-3.2,2.0,0120*45
///            time      position               modes, satellites, HDOP, altitude, geoid, age and station of corrections
///
/// The modes belong to GPS, GLONASS, Galileo and so on, in this order. A receiver may also send one sentence for each
/// constellation, with an empty position, empty modes and the number of satellites of that constellation.
struct GNS {
  var time: TimeOfDay?
  var claim: FixClaim
  var coordinates: Coordinates?
  var satellites: Int?
  var hdop: Decimal?
  /// Altitude above mean sea level in metres; `nil` if unknown.
  var altitude: Decimal?

  init(parsing fields: inout FieldCursor) throws(RejectReason) {
    time = try fields.time()
    coordinates = try fields.coordinates()
    claim = try fields.constellationModes()
    satellites = try fields.integer()
    hdop = try fields.unsigned()
    altitude = try fields.decimal()
    _ = try fields.decimal()
    _ = try fields.unsigned()
    try fields.skip()
  }
}

extension FieldCursor {
  /// Reads the modes of all constellations and returns the most accurate quality that they state. If the mode of any
  /// constellation is simulated or estimated, the result is simulated or estimated.
  @_lifetime(self: copy self)
  mutating func constellationModes() throws(RejectReason) -> FixClaim {
    var claims: UInt8 = 0
    while let mode = try nextLetter() { claims |= try FixClaim(mode: mode).rawValue }
    if claims & FixClaim.simulated.rawValue != 0 { return .simulated }
    if claims & FixClaim.estimated.rawValue != 0 { return .estimated }
    if claims & FixClaim.rtkFixed.rawValue != 0 { return .rtkFixed }
    if claims & FixClaim.rtkFloat.rawValue != 0 { return .rtkFloat }
    if claims & FixClaim.differential.rawValue != 0 { return .differential }
    if claims & FixClaim.autonomous.rawValue != 0 { return .autonomous }
    return claims == 0 ? .silent : .invalid
  }
}
