/// Differences between an adapter and the ELM327's data sheet. They are learned from the adapter's answers, never from
/// its version, because clones claim any version.
public struct Quirks: OptionSet, BitwiseCopyable, Sendable {
  /// The set of quirks, with one bit for each quirk.
  public let rawValue: UInt32
  /// Creates a set of quirks.
  ///
  /// - Parameter rawValue: the set, with one bit for each quirk.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The adapter answers ATZ with `?`.
  public static let noReset = Quirks(rawValue: 1 << 0)
  /// ATZ breaks the link, because this Bluetooth adapter then also restarts its radio. ATD is sent instead.
  public static let resetLosesLink = Quirks(rawValue: 1 << 1)
  /// ATE0 is refused: every command is echoed.
  public static let noEchoOff = Quirks(rawValue: 1 << 2)
  /// ATL0 is refused: text lines may end with CR and LF.
  public static let noLinefeedsOff = Quirks(rawValue: 1 << 3)
  /// ATS0 is refused: bytes are separated by spaces.
  public static let noSpacesOff = Quirks(rawValue: 1 << 4)
  /// ATH1 is refused: replies do not show which ECU answered.
  public static let noHeaders = Quirks(rawValue: 1 << 5)
  /// ATAT1 is refused: the adapter always waits for the full time that ATST sets.
  public static let noAdaptiveTiming = Quirks(rawValue: 1 << 6)
  /// ATST is refused.
  public static let noTimeout = Quirks(rawValue: 1 << 7)
  /// ATI is refused.
  public static let noIdentity = Quirks(rawValue: 1 << 8)
  /// AT@1 is refused.
  public static let noDescription = Quirks(rawValue: 1 << 9)
  /// ATRV is refused: the voltage at the connector cannot be read.
  public static let noVoltage = Quirks(rawValue: 1 << 10)
  /// ATDPN is refused, or returns 0 although a vehicle answers.
  public static let noProtocolNumber = Quirks(rawValue: 1 << 11)
  /// ATSPA is refused.
  public static let noPreferredProtocol = Quirks(rawValue: 1 << 12)
  /// ATSP is refused.
  public static let noProtocolSelection = Quirks(rawValue: 1 << 13)
  /// The count of expected frames after a request is refused.
  public static let noCountSuffix = Quirks(rawValue: 1 << 14)
  /// The adapter refuses requests with several PIDs.
  public static let noMultiPID = Quirks(rawValue: 1 << 15)
  /// The adapter has answered BUFFER FULL, so long answers must be requested in parts.
  public static let smallBuffer = Quirks(rawValue: 1 << 16)
  /// The adapter sends a second or late prompt after a reply.
  public static let strayPrompts = Quirks(rawValue: 1 << 17)
  /// The adapter answers STI, because it has an STN chip (OBDLink).
  public static let stnChip = Quirks(rawValue: 1 << 18)
  /// ATSH or ATCRA is refused, so addressed requests are not sent.
  public static let noAddressing = Quirks(rawValue: 1 << 19)
  /// ATFCSH, ATFCSD or ATFCSM is refused.
  public static let noFlowControl = Quirks(rawValue: 1 << 20)
  /// ECUs answer later than usual, so the session waits longer for them.
  public static let slowECU = Quirks(rawValue: 1 << 21)
  /// ATPC is refused. ATSW00 is sent instead to end the wake-up messages on a K-line.
  public static let noProtocolClose = Quirks(rawValue: 1 << 22)
  /// ATLP is refused, or no character wakes the adapter.
  public static let noLowPower = Quirks(rawValue: 1 << 23)
  /// ATBRD or STBR is refused, or the adapter cannot be used at the new baud rate. Each new session makes one more
  /// attempt.
  public static let noBaudChange = Quirks(rawValue: 1 << 24)
  /// The adapter itself makes the pause P3min before a request on a K-line, according to ATPPS.
  public static let keepsPause = Quirks(rawValue: 1 << 25)
  /// ATPPS, which lists the adapter's parameters, is refused.
  public static let noParameterList = Quirks(rawValue: 1 << 26)
  /// ATPPS lists a pause that the adapter does not make, so ECUs on a K-line miss requests. Each new session tests this
  /// one more time.
  public static let breaksPause = Quirks(rawValue: 1 << 27)

  /// The name of a quirk in records and log lines. For a set of several quirks, the name of the one with the lowest
  /// bit.
  public var name: StaticString {
    switch rawValue.trailingZeroBitCount {
    case 0: "noReset"
    case 1: "resetLosesLink"
    case 2: "noEchoOff"
    case 3: "noLinefeedsOff"
    case 4: "noSpacesOff"
    case 5: "noHeaders"
    case 6: "noAdaptiveTiming"
    case 7: "noTimeout"
    case 8: "noIdentity"
    case 9: "noDescription"
    case 10: "noVoltage"
    case 11: "noProtocolNumber"
    case 12: "noPreferredProtocol"
    case 13: "noProtocolSelection"
    case 14: "noCountSuffix"
    case 15: "noMultiPID"
    case 16: "smallBuffer"
    case 17: "strayPrompts"
    case 18: "stnChip"
    case 19: "noAddressing"
    case 20: "noFlowControl"
    case 21: "slowECU"
    case 22: "noProtocolClose"
    case 23: "noLowPower"
    case 24: "noBaudChange"
    case 25: "keepsPause"
    case 26: "noParameterList"
    case 27: "breaksPause"
    default: ""
    }
  }
}
