/// Where an event comes from: its sender, and its place in the byte stream.
public struct Origin: BitwiseCopyable, Equatable, Sendable {
  /// Address of the sender; ``ECUAddress/unknown`` if the text line has no header.
  public var ecu: ECUAddress
  /// Index of the text line that completed the event, counted from the reader's start or from the last
  /// ``ReplyReader/restartLines()``.
  public var line: UInt32
  /// Number of bytes received up to the end of the text line that completed the event, counted from the reader's start.
  /// This module has no clock; the caller can find the time of reception from this number.
  public var position: UInt64

  /// Creates an origin.
  public init(ecu: ECUAddress, line: UInt32, position: UInt64) {
    self.ecu = ecu
    self.line = line
    self.position = position
  }
}

/// Identifies a signal: a row of ``saeSignals``, or a signal of a signal set that was loaded at run time.
public struct SignalID: RawRepresentable, BitwiseCopyable, Equatable, Sendable {
  /// Row of ``saeSignals``; for a signal loaded at run time, ``firstLoaded`` plus its index.
  public var rawValue: UInt16
  /// Creates an identifier.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// The first identifier of signals that are loaded at run time. The identifier of such a signal is this number plus
  /// the index of the signal among all loaded signals.
  public static let firstLoaded: UInt16 = 0x8000
  /// Whether the signal belongs to a signal set that was loaded at run time.
  public var isLoaded: Bool { rawValue >= Self.firstLoaded }
}

/// One value that an ECU sent, in the unit of its signal.
///
/// The value of a flag is 0 or 1, that of an enumeration is its code. The kind of the signal and the texts of its codes
/// are in its definition.
public struct Reading: BitwiseCopyable, Equatable, Sendable {
  /// Where the reading comes from.
  public var origin: Origin
  /// The signal to which the value belongs.
  public var signal: SignalID
  /// Identifier in the answer: a PID or information type (services 01, 02, 09), a local identifier (21) or a data
  /// identifier (22); 0 if the adapter measured the value.
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

/// Describes a text that an ECU sent as an answer to service 09, or to the corresponding request of OBDonUDS. The
/// handler receives the characters of the text separately.
public struct TextReading: BitwiseCopyable, Equatable, Sendable {
  /// The content of a text.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// Vehicle identification number (0902, 22F802). The characters are unchanged, but leading NULs are removed.
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
  /// Where the text comes from.
  public var origin: Origin
  /// The content of the text.
  public var kind: Kind
  /// Service of the request, 0x09 or 0x22.
  public var service: UInt8
  /// Information type (service 09) or data identifier (service 22).
  public var identifier: UInt16
  /// Index of the item in the answer, for example of one of several calibrations.
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

/// A diagnostic trouble code: two bytes (SAE J2012) and, if UDS sends three bytes, the failure type in the third byte.
public struct TroubleCode: BitwiseCopyable, Equatable, Sendable {
  /// The two bytes of the code, the first one in the high byte: 0x0420 is P0420.
  public var code: UInt16
  /// Failure type byte (SAE J2012-DA). It is valid only if ``hasFailureType``.
  public var failureType: UInt8
  /// Whether the answer contained a failure type, so that ``failureType`` is valid.
  public var hasFailureType: Bool
  /// Status of the code (ISO 14229-1, D.2); 0 if the answer contained none.
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

  /// The code as people write it, in ASCII: `P0420`, `U0100`, `P0420-1C`. Only the first ``textLength`` bytes are
  /// valid.
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

/// Describes a list of trouble codes. The handler receives the codes separately; the list may be empty.
public struct TroubleCodeList: BitwiseCopyable, Equatable, Sendable {
  /// Which codes a list contains. `freezeFrame` means the one code that caused a freeze frame (service 02, PID 02). In
  /// an answer of service 19, `stored` means the codes that match the status mask, each with its own status. `other`
  /// means codes that are not necessarily present in the vehicle, for example all supported codes (19 0A).
  public enum Kind: UInt8, BitwiseCopyable, Sendable { case stored, pending, permanent, freezeFrame, other }
  /// Where the list comes from.
  public var origin: Origin
  /// Which codes the list contains.
  public var kind: Kind
  /// Service of the request: 0x02, 0x03, 0x07, 0x0A or 0x19.
  public var service: UInt8
  /// For service 19, the sub-function (0x02, 0x42, 0x55, …); for a freeze frame, the frame's number; otherwise 0.
  public var subfunction: UInt8
  /// For service 19 with sub-function 0x42 or 0x55, the functional group (0x33: emissions); otherwise 0.
  public var group: UInt8
  /// For service 19, the status mask in the request; 0 if the command is unknown.
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
/// On CAN, the result contains a monitor ID, a test ID, a scaling ID and both limits. On older buses (legacy format),
/// the result contains a test ID, a component ID and one limit; its numbers have no scale (SAE J1979, 6.6). Bit 7 of
/// the component ID shows whether the limit is the minimum.
public struct TestResult: BitwiseCopyable, Equatable, Sendable {
  /// Where the result comes from.
  public var origin: Origin
  /// Service of the request: 0x05, 0x06, or 0x22 for a monitor of OBDonUDS (F6xx).
  public var service: UInt8
  /// Whether the result has the legacy format: `testID`, `component`, a `value` without scale, and one limit.
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
  /// Whether the test has run since the codes were cleared or the power was lost. If it has not, an ECU on CAN sends 0
  /// for the value and both limits (SAE J1979, 6.6). On older buses, this is not known, and the property is `true`.
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

/// The content of an adapter's answer to an AT or ST command. The handler receives the characters separately.
public enum AdapterAnswer: UInt8, BitwiseCopyable, Sendable {
  /// Identification from ATZ, ATWS, ATI or STI: `ELM327 v1.5`.
  case identity
  /// Device description from AT@1 or STDI.
  case description
  /// Protocol number from ATDPN: `A6`. The letter A means that the adapter chose it.
  case protocolNumber
  /// Protocol name from ATDP: `AUTO, ISO 15765-4 (CAN 11/500)`.
  case protocolName
  /// `OK`, or any other answer.
  case other
}
