/// Kinds of NMEA 0183 sentences, named by the last three letters of their addresses (formatters).
public enum SentenceKind: UInt8, BitwiseCopyable, Equatable, Sendable {
  /// Recommended minimum data: time, date, status, position, speed, course.
  case rmc
  /// Fix data: time, position, quality, satellites, HDOP, altitude.
  case gga
  /// Fix data of several constellations: like GGA, with a mode for each constellation.
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
  /// Satellites in view. Recognized, but not needed for a fix.
  case gsv
  /// A manufacturer's proprietary sentence. Its address begins with P.
  case proprietary
  /// Any other sentence.
  case other

  /// Length of the address in the sentences that are read, bytes: talker, formatter and delimiter.
  static var addressLength: Int { 6 }

  /// Finds the kind of a sentence, given without its `$` and with at least one byte. Any talker (GP, GN, II, …) is
  /// accepted.
  @inline(__always)
  init(ofBody body: Span<UInt8>) {
    // P marks a proprietary sentence. `$PGRMC`, for example, is a configuration of Garmin, not recommended minimum
    // data.
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

  /// Whether both bytes are digits or capital letters, as in the talkers GP and U4. In `$G,RMC,…`, the second byte is
  /// neither, because a delimiter ends the address early.
  @inline(__always)
  private static func isTalker(_ first: UInt8, _ second: UInt8) -> Bool {
    (first &- 0x30 < 10 || first &- 0x41 < 26) && (second &- 0x30 < 10 || second &- 0x41 < 26)
  }
}
