/// The quality of the fix, as one sentence states it in its status, quality or mode indicator.
///
/// The raw values are bits, so that an epoch can store the claims of all its sentences.
enum FixClaim: UInt8, BitwiseCopyable {
  /// The sentence does not state a quality.
  case silent = 0
  /// No valid fix (status V, quality 0, mode N).
  case invalid = 1
  /// A simulated or manually entered position (quality 7 and 8, modes M and S).
  case simulated = 2
  /// Dead reckoning (quality 6, mode E).
  case estimated = 4
  /// Satellites only, including the precise positioning service (quality 1 and 3, modes A and P).
  case autonomous = 8
  /// Differential corrections (quality 2, mode D).
  case differential = 16
  /// Carrier phase with floating ambiguities (quality 5, mode F).
  case rtkFloat = 32
  /// Carrier phase with fixed ambiguities (quality 4, mode R).
  case rtkFixed = 64

  /// Creates a claim from GGA's quality indicator; 0 stands for an empty field. NovAtel receivers use the non-standard
  /// 9 for a fix with SBAS corrections.
  init(quality: UInt8) throws(RejectReason) {
    switch quality {
    case 0: self = .silent
    case 0x30: self = .invalid
    case 0x31, 0x33: self = .autonomous
    case 0x32, 0x39: self = .differential
    case 0x34: self = .rtkFixed
    case 0x35: self = .rtkFloat
    case 0x36: self = .estimated
    case 0x37, 0x38: self = .simulated
    default: throw .malformedField
    }
  }

  /// Creates a claim from the mode indicator of RMC, GLL or VTG, or from the mode of one constellation in GNS (NMEA
  /// 0183 2.3 and later); 0 stands for an empty field.
  init(mode: UInt8) throws(RejectReason) {
    switch mode {
    case 0: self = .silent
    case 0x41, 0x50: self = .autonomous  // A, P
    case 0x44: self = .differential  // D
    case 0x45: self = .estimated  // E
    case 0x46: self = .rtkFloat  // F
    case 0x4D, 0x53: self = .simulated  // M, S
    case 0x4E: self = .invalid  // N
    case 0x52: self = .rtkFixed  // R
    default: throw .malformedField
    }
  }

  /// Creates a claim from the status of RMC and GLL, A (valid) or V (warning), and from the mode; 0 stands for a
  /// missing status or mode.
  ///
  /// According to NMEA 0183, the status is V with every mode except those of satellite fixes. A status V with mode E
  /// (estimated) therefore does not invalidate the position.
  init(status: UInt8, mode: UInt8) throws(RejectReason) {
    let claim = try FixClaim(mode: mode)
    switch (status, claim) {
    case (0x41, .silent): self = .autonomous
    case (0x41, _): self = claim
    case (0x56, .simulated), (0x56, .estimated): self = claim
    case (0x56, _): self = .invalid
    case (0, .silent): self = .silent
    // If the status is empty, a mode can show that the fix is invalid, but not that it is valid.
    case (0, _): self = claim == .simulated ? .simulated : .invalid
    default: throw .malformedField
    }
  }
}
