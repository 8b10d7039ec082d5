/// What one sentence says of the fix, from its status, quality or mode indicator.
///
/// The raw values are bits, so that an epoch can hold what all its sentences said.
enum FixClaim: UInt8, BitwiseCopyable {
  /// It says nothing.
  case silent = 0
  /// There is no valid fix (status V, quality 0, mode N).
  case invalid = 1
  /// A simulator or a person made it up (quality 7 and 8, modes M and S).
  case simulated = 2
  /// Dead reckoning (quality 6, mode E).
  case estimated = 4
  /// Satellites alone, the precise service included (quality 1 and 3, modes A and P).
  case autonomous = 8
  /// Differential corrections (quality 2, mode D).
  case differential = 16
  /// Carrier phase, floating (quality 5, mode F).
  case rtkFloat = 32
  /// Carrier phase, fixed (quality 4, mode R).
  case rtkFixed = 64

  /// GGA's quality indicator. 9 is not of the standard: NovAtel's receivers say it of a fix with SBAS corrections.
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

  /// The mode indicator of RMC, GLL, VTG and, for each constellation, GNS (NMEA 0183 2.3 and later); 0 is an empty field.
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

  /// RMC and GLL: the status A (valid) or V (a warning), which the mode supplements where there is one.
  ///
  /// The standard has the status V beside every mode but those of a fix by satellites, so beside E it says no more than E.
  init(status: UInt8, mode: UInt8) throws(RejectReason) {
    let claim = try FixClaim(mode: mode)
    switch (status, claim) {
    case (0x41, .silent): self = .autonomous
    case (0x41, _): self = claim
    case (0x56, .simulated), (0x56, .estimated): self = claim
    case (0x56, _): self = .invalid
    case (0, .silent): self = .silent
    // A mode without the status that it supplements can take a fix away, and not give one.
    case (0, _): self = claim == .simulated ? .simulated : .invalid
    default: throw .malformedField
    }
  }
}
