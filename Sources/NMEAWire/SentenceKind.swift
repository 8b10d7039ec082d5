/// The formatters that a fix is made of (NMEA 0183, approved sentence formatters), and what else passes by.
public enum SentenceKind: UInt8, BitwiseCopyable, Equatable, Sendable {
  /// Recommended minimum data: time, date, status, position, speed, course.
  case rmc
  /// Fix data: time, position, quality, satellites, HDOP, altitude.
  case gga
  /// Fix data of several constellations: as GGA, with a mode for each.
  case gns
  /// Geographic position: time, status, position.
  case gll
  /// Course and speed over ground.
  case vtg
  /// Time and date with a four-digit year.
  case zda
  /// Error statistics of the position.
  case gst
  /// Dilution of precision, active satellites, 2D or 3D.
  case gsa
  /// True heading.
  case hdt
  /// Satellites in view: understood, and of no use to a fix.
  case gsv
  /// A manufacturer's own sentence (its address begins with P).
  case proprietary
  /// Any other sentence.
  case other

  /// Talker, formatter and the delimiter behind them, of every kind that says something of a fix.
  static var addressLength: Int { 6 }

  /// The kind of the sentence in a body of at least one byte, without its `$`; the talker (GP, GN, II, …) may be any.
  @inline(__always)
  init(ofBody body: Span<UInt8>) {
    // P is the talker of proprietary sentences: $PGRMC is Garmin's configuration, not recommended minimum data.
    if body[0] == 0x50 {
      self = .proprietary
      return
    }
    guard body.count > 5, body[5] == 0x2C || body[5] == 0x2A, Self.isTalker(body[0], body[1]) else {
      self = .other
      return
    }
    switch UInt32(body[2]) &<< 16 | UInt32(body[3]) &<< 8 | UInt32(body[4]) {
    case 0x52_4D_43: self = .rmc
    case 0x47_47_41: self = .gga
    case 0x47_4E_53: self = .gns
    case 0x47_4C_4C: self = .gll
    case 0x56_54_47: self = .vtg
    case 0x5A_44_41: self = .zda
    case 0x47_53_54: self = .gst
    case 0x47_53_41: self = .gsa
    case 0x48_44_54: self = .hdt
    case 0x47_53_56: self = .gsv
    default: self = .other
    }
  }

  /// Whether both are digits or capital letters (GP, U4): a delimiter ends the address, so `$G,RMC,…` is no RMC.
  @inline(__always)
  private static func isTalker(_ first: UInt8, _ second: UInt8) -> Bool {
    (first &- 0x30 < 10 || first &- 0x41 < 26) && (second &- 0x30 < 10 || second &- 0x41 < 26)
  }
}
