/// Where in the byte stream an event comes from.
public struct Origin: BitwiseCopyable, Equatable, Sendable {
  /// Who sent it; ``ECUAddress/unknown`` without headers.
  public var ecu: ECUAddress
  /// Index of the line that completed it, counted from ``ReplyReader/restartLines()`` or the reader's start.
  public var line: UInt32
  /// Bytes received before the end of that line, counted from the reader's start: the caller, who knows when each
  /// byte came, turns it into a time. The wire itself knows no clock.
  public var position: UInt64

  public init(ecu: ECUAddress, line: UInt32, position: UInt64) {
    self.ecu = ecu
    self.line = line
    self.position = position
  }
}

/// Names one signal: a row of the SAE J1979 table (``SAESignals``), or one of a signal set loaded at run time.
public struct SignalID: RawRepresentable, BitwiseCopyable, Equatable, Sendable {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// The first identifier of signals loaded at run time; the row index is the difference.
  public static let firstLoaded: UInt16 = 0x8000
  public var isLoaded: Bool { rawValue >= Self.firstLoaded }
}

/// One value that an ECU sent, in the unit of its signal.
///
/// Flags are 0 or 1, enumerations their code; the signal's row says which and holds the texts.
public struct Reading: BitwiseCopyable, Equatable, Sendable {
  public var origin: Origin
  public var signal: SignalID
  /// PID (services 01, 02, 09), local or data identifier (21, 22); 0 for what the adapter measures itself.
  public var identifier: UInt16
  /// The request's service: 0x01, 0x02, 0x09, 0x21, 0x22; 0 for what the adapter measures itself (ATRV).
  public var service: UInt8
  /// Freeze frame number (service 02 only).
  public var frame: UInt8
  public var value: Double

  public init(
    origin: Origin, signal: SignalID, service: UInt8, identifier: UInt16, frame: UInt8 = 0, value: Double
  ) {
    self.origin = origin
    self.signal = signal
    self.service = service
    self.identifier = identifier
    self.frame = frame
    self.value = value
  }
}

/// What a text of service 09 (or its OBDonUDS form) is; the characters come beside it.
public struct TextReading: BitwiseCopyable, Equatable, Sendable {
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// Vehicle identification number (0902, 22F802): the characters unaltered, leading NULs cut.
    case vin
    /// Calibration identification (0904, 22F804): up to 16 characters, trailing NULs cut.
    case calibrationID
    /// Calibration verification number (0906, 22F806): 4 bytes, not characters.
    case calibrationVerificationNumber
    /// ECU name (090A, 22F80A): up to 20 characters.
    case ecuName
    /// Any other service 09 text (ESN 090D, EROTAN 090F, …): printable characters.
    case other
  }
  public var origin: Origin
  public var kind: Kind
  public var service: UInt8
  public var identifier: UInt16
  /// Which of several items of one answer (calibration 0, 1, …).
  public var index: UInt8

  public init(origin: Origin, kind: Kind, service: UInt8, identifier: UInt16, index: UInt8) {
    self.origin = origin
    self.kind = kind
    self.service = service
    self.identifier = identifier
    self.index = index
  }
}

/// A diagnostic trouble code: two bytes (SAE J2012), with a failure type byte where UDS sends three.
public struct TroubleCode: BitwiseCopyable, Equatable, Sendable {
  /// The two bytes that name the code, high byte first: 0x0420 is P0420.
  public var code: UInt16
  /// Failure type byte (SAE J2012-DA), where the answer had three-byte codes.
  public var failureType: UInt8
  public var hasFailureType: Bool
  /// Status of DTC (ISO 14229-1, D.2), where the answer carried one; else 0.
  public var status: UInt8

  public init(code: UInt16, failureType: UInt8 = 0, hasFailureType: Bool = false, status: UInt8 = 0) {
    self.code = code
    self.failureType = failureType
    self.hasFailureType = hasFailureType
    self.status = status
  }

  /// Number of characters of ``text``: 5 (`P0420`) or 8 (`P0420-00`).
  public var textLength: Int { hasFailureType ? 8 : 5 }

  /// The code as people write it, ASCII: `P0420`, `U0100`, `P0420-1C`; the first ``textLength`` bytes count.
  public var text: InlineArray<8, UInt8> {
    var out = InlineArray<8, UInt8>(repeating: 0)
    switch code >> 14 {
    case 0: out[0] = UInt8(ascii: "P")
    case 1: out[0] = UInt8(ascii: "C")
    case 2: out[0] = UInt8(ascii: "B")
    default: out[0] = UInt8(ascii: "U")
    }
    out[1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: code >> 12 & 0x3)
    out[2] = Hex.digit(UInt8(truncatingIfNeeded: code >> 8))
    out[3] = Hex.digit(UInt8(truncatingIfNeeded: code >> 4))
    out[4] = Hex.digit(UInt8(truncatingIfNeeded: code))
    if hasFailureType {
      out[5] = UInt8(ascii: "-")
      out[6] = Hex.digit(failureType >> 4)
      out[7] = Hex.digit(failureType)
    }
    return out
  }
}

/// What a list of trouble codes is; the codes come beside it, an empty list included.
public struct TroubleCodeList: BitwiseCopyable, Equatable, Sendable {
  /// `freezeFrame`: the one code that stored a freeze frame (service 02, PID 02). `stored` of service 19: what its status
  /// mask asked for, each code with its own status. `other`: no list of what the unit holds (19 0A: what it could).
  public enum Kind: UInt8, BitwiseCopyable, Sendable { case stored, pending, permanent, freezeFrame, other }
  public var origin: Origin
  public var kind: Kind
  /// 0x02, 0x03, 0x07, 0x0A or 0x19.
  public var service: UInt8
  /// Sub-function of service 19 (0x02, 0x42, 0x55, …); the frame number of a freeze frame; 0 otherwise.
  public var subfunction: UInt8
  /// Functional group identifier of 19 42 and 19 55 (0x33: emissions); 0 otherwise.
  public var group: UInt8
  /// What service 19 was asked for: codes with one of these status bits; 0 where the command is not known.
  public var statusMask: UInt8

  public init(
    origin: Origin, kind: Kind, service: UInt8, subfunction: UInt8 = 0, group: UInt8 = 0, statusMask: UInt8 = 0
  ) {
    self.origin = origin
    self.kind = kind
    self.service = service
    self.subfunction = subfunction
    self.group = group
    self.statusMask = statusMask
  }
}

/// One on-board monitoring test result (service 06).
///
/// On CAN: monitor, test and scaling id with both limits. On legacy buses: test id, component id and one limit,
/// unscaled (SAE J1979, 6.6): bit 7 of the component id says whether it is the minimum.
public struct TestResult: BitwiseCopyable, Equatable, Sendable {
  public var origin: Origin
  /// 0x05, 0x06, or 0x22 for an OBDonUDS monitor (F6xx).
  public var service: UInt8
  /// True for the legacy form: `testID`, `component`, raw `value` and one of the limits.
  public var isLegacy: Bool
  public var monitorID: UInt8
  public var testID: UInt8
  /// Component id without bit 7 (legacy form).
  public var component: UInt8
  /// Unit-and-scaling id (CAN form); ``UnitAndScaling`` has the unit.
  public var scalingID: UInt8
  public var value: Double
  public var minimum: Double?
  public var maximum: Double?

  public init(
    origin: Origin, service: UInt8, isLegacy: Bool, monitorID: UInt8, testID: UInt8, component: UInt8,
    scalingID: UInt8, value: Double, minimum: Double?, maximum: Double?
  ) {
    self.origin = origin
    self.service = service
    self.isLegacy = isLegacy
    self.monitorID = monitorID
    self.testID = testID
    self.component = component
    self.scalingID = scalingID
    self.value = value
    self.minimum = minimum
    self.maximum = maximum
  }
}

/// A short text of the adapter itself, the answer to an AT or ST command; the characters come beside it.
public enum AdapterAnswer: UInt8, BitwiseCopyable, Sendable {
  /// Banner of ATZ, ATWS, ATI or STI: `ELM327 v1.5`.
  case identity
  /// AT@1, STDI: device description.
  case description
  /// ATDPN: `A6` (the letter A: chosen automatically).
  case protocolNumber
  /// ATDP: `AUTO, ISO 15765-4 (CAN 11/500)`.
  case protocolName
  /// `OK` or any other answer.
  case other
}
