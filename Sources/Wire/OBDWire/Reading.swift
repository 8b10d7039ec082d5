/// The source of an event in the byte stream.
public struct Origin: BitwiseCopyable, Equatable, Sendable {
  /// Address of the sender; ``ECUAddress/unknown`` without headers.
  public var ecu: ECUAddress
  /// Index of the text line that completed the event, counted from the reader's start or
  /// ``ReplyReader/restartLines()``.
  public var line: UInt32
  /// Number of bytes received up to the end of that text line, counted from the reader's start. The caller can derive
  /// the time of reception from it. This module uses no clock.
  public var position: UInt64

  /// Creates an origin.
  public init(ecu: ECUAddress, line: UInt32, position: UInt64) {
    self.ecu = ecu
    self.line = line
    self.position = position
  }
}

/// Identifier of a signal: a row of the SAE J1979 table (``SAESignals``), or a row of a signal set loaded at run time.
public struct SignalID: RawRepresentable, BitwiseCopyable, Equatable, Sendable {
  /// Row of the SAE J1979 table, or ``firstLoaded`` plus the row of the loaded definitions.
  public var rawValue: UInt16
  /// Creates an identifier.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// The first identifier of signals loaded at run time. Subtract it to get the row index.
  public static let firstLoaded: UInt16 = 0x8000
  /// Whether the signal belongs to a signal set loaded at run time.
  public var isLoaded: Bool { rawValue >= Self.firstLoaded }
}

/// One value that an ECU sent, in the unit of its signal.
///
/// Flags are 0 or 1, enumerations are their code. The signal's row contains the kind and the texts.
public struct Reading: BitwiseCopyable, Equatable, Sendable {
  /// Source of the reading.
  public var origin: Origin
  /// Signal of the value.
  public var signal: SignalID
  /// PID (services 01, 02, 09), local or data identifier (21, 22); 0 if the adapter measured the value.
  public var identifier: UInt16
  /// Service of the request: 0x01, 0x02, 0x09, 0x21, 0x22; 0 if the adapter measured the value (ATRV).
  public var service: UInt8
  /// Number of the freeze frame (service 02 only).
  public var frame: UInt8
  /// Value in the unit of the signal.
  public var value: Double

  /// Creates a reading.
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

/// The kind of a text of service 09 or its OBDonUDS equivalent. The handler receives the characters separately.
public struct TextReading: BitwiseCopyable, Equatable, Sendable {
  /// The kind of a text.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// Vehicle identification number (0902, 22F802): the characters unchanged, without leading NULs.
    case vin
    /// Calibration identification (0904, 22F804): up to 16 characters, without trailing NULs.
    case calibrationID
    /// Calibration verification number (0906, 22F806): 4 bytes, not characters.
    case calibrationVerificationNumber
    /// ECU name (090A, 22F80A): up to 20 characters.
    case ecuName
    /// Any other text of service 09 (ESN 090D, EROTAN 090F, …): printable characters.
    case other
  }
  /// Source of the text.
  public var origin: Origin
  /// Kind of the text.
  public var kind: Kind
  /// Service of the request, 0x09 or 0x22.
  public var service: UInt8
  /// Information type or data identifier.
  public var identifier: UInt16
  /// Index of the item, if an answer contains several (calibration 0, 1, …).
  public var index: UInt8

  /// Creates the description of a text.
  public init(origin: Origin, kind: Kind, service: UInt8, identifier: UInt16, index: UInt8) {
    self.origin = origin
    self.kind = kind
    self.service = service
    self.identifier = identifier
    self.index = index
  }
}

/// A diagnostic trouble code: two bytes (SAE J2012), and a failure type byte if UDS sends three.
public struct TroubleCode: BitwiseCopyable, Equatable, Sendable {
  /// The two bytes of the code, high byte first: 0x0420 is P0420.
  public var code: UInt16
  /// Failure type byte (SAE J2012-DA), if the answer had three-byte codes.
  public var failureType: UInt8
  /// Whether ``failureType`` is valid.
  public var hasFailureType: Bool
  /// Status of the code (ISO 14229-1, D.2); 0 if the answer had none.
  public var status: UInt8

  /// Creates a trouble code.
  public init(code: UInt16, failureType: UInt8 = 0, hasFailureType: Bool = false, status: UInt8 = 0) {
    self.code = code
    self.failureType = failureType
    self.hasFailureType = hasFailureType
    self.status = status
  }

  /// Number of characters of ``text``: 5 (`P0420`) or 8 (`P0420-00`).
  public var textLength: Int { hasFailureType ? 8 : 5 }

  /// The usual text of the code in ASCII: `P0420`, `U0100`, `P0420-1C`. Only the first ``textLength`` bytes are valid.
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

/// The kind of a list of trouble codes. The handler receives the codes separately; the list may be empty.
public struct TroubleCodeList: BitwiseCopyable, Equatable, Sendable {
  /// The kind of a list. `freezeFrame` is the one code that caused a freeze frame (service 02, PID 02). `stored` of
  /// service 19 contains the codes that match the status mask, each with its own status. `other` lists codes that are
  /// not necessarily present (19 0A: all supported codes).
  public enum Kind: UInt8, BitwiseCopyable, Sendable { case stored, pending, permanent, freezeFrame, other }
  /// Source of the list.
  public var origin: Origin
  /// Kind of the list.
  public var kind: Kind
  /// Service of the request: 0x02, 0x03, 0x07, 0x0A or 0x19.
  public var service: UInt8
  /// Sub-function of service 19 (0x02, 0x42, 0x55, …); the frame number of a freeze frame; 0 otherwise.
  public var subfunction: UInt8
  /// Functional group identifier of 19 42 and 19 55 (0x33: emissions); 0 otherwise.
  public var group: UInt8
  /// Status mask of a request of service 19; 0 if the command is unknown.
  public var statusMask: UInt8

  /// Creates the description of a list.
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

/// One result of an on-board monitoring test (service 06).
///
/// On CAN, it has monitor, test and scaling IDs and both limits. On legacy buses, it has test and component IDs and one
/// limit, all unscaled (SAE J1979, 6.6). Bit 7 of the component ID shows whether the limit is the minimum.
public struct TestResult: BitwiseCopyable, Equatable, Sendable {
  /// Source of the result.
  public var origin: Origin
  /// Service of the request: 0x05, 0x06, or 0x22 for an OBDonUDS monitor (F6xx).
  public var service: UInt8
  /// Whether the result has the legacy format: `testID`, `component`, unscaled `value` and one limit.
  public var isLegacy: Bool
  /// Monitor ID (CAN format).
  public var monitorID: UInt8
  /// Test ID.
  public var testID: UInt8
  /// Component ID without bit 7 (legacy format).
  public var component: UInt8
  /// Unit-and-scaling ID (CAN format); ``UnitAndScaling`` defines the unit.
  public var scalingID: UInt8
  /// Measured value.
  public var value: Double
  /// Lower limit; `nil` if there is none.
  public var minimum: Double?
  /// Upper limit; `nil` if there is none.
  public var maximum: Double?
  /// Whether the test has run since the codes were cleared or power was lost. Until then, an ECU on CAN sends value and
  /// limits as 0 (SAE J1979, 6.6). On legacy buses, this is unknown and the value is `true`.
  public var isCompleted = true

  /// Creates a result.
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

/// The kind of an adapter's answer to an AT or ST command. The handler receives the characters separately.
public enum AdapterAnswer: UInt8, BitwiseCopyable, Sendable {
  /// Identification from ATZ, ATWS, ATI or STI: `ELM327 v1.5`.
  case identity
  /// Device description from AT@1 or STDI.
  case description
  /// Protocol number from ATDPN: `A6`. The letter A means that the adapter chose it.
  case protocolNumber
  /// Protocol name from ATDP: `AUTO, ISO 15765-4 (CAN 11/500)`.
  case protocolName
  /// `OK` or any other answer.
  case other
}
