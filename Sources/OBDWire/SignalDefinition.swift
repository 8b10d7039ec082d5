/// How one signal lies in an answer, and what its bits mean: a row of data, not code.
///
/// Bits are counted from 0 at the most significant bit of the first data byte (the byte behind the PID or data
/// identifier), as OBDb's `bix` and SAE J1979-DA's tables do.
///
///     value = raw × factor + offset
public struct SignalDefinition: BitwiseCopyable, Sendable {
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// `raw × factor + offset`
    case number
    /// One bit: true or false.
    case flag
    /// A code with a text (``SAEEnumerations`` or the signal set's map).
    case enumeration
  }
  public enum Encoding: UInt8, BitwiseCopyable, Sendable {
    case unsigned, signed, unsignedLittleEndian, signedLittleEndian
  }
  /// A scaling that PID 4F or 50 redefines when the ECU sends it (SAE J1979-DA, table of PIDs 4F and 50).
  public enum Rescale: UInt8, BitwiseCopyable, Sendable {
    case none
    /// 4F byte A: full scale of equivalence ratios (default 2).
    case equivalenceRatio
    /// 4F byte B: full scale of oxygen sensor voltages (default 8 V).
    case oxygenSensorVoltage
    /// 4F byte C: full scale of oxygen sensor currents (default 128 mA, both directions).
    case oxygenSensorCurrent
    /// 4F byte D: full scale of manifold pressure, ×10 kPa (default 255 kPa).
    case manifoldPressure
    /// 50 byte A: full scale of mass air flow, ×10 g/s (default 655.35 g/s).
    case massAirFlow
  }
  /// Says that a support or variant condition does not apply.
  public static let noBit: UInt8 = 0xFF

  /// 0x01 for SAE PIDs (used by services 02 and 22 F4xx too), 0x09, 0x21, 0x22.
  public var service: UInt8
  /// PID, local identifier or data identifier.
  public var identifier: UInt16
  public var bitOffset: UInt16
  /// 1…64
  public var bitLength: UInt8
  public var kind: Kind
  public var encoding: Encoding
  public var unit: Unit
  public var rescale: Rescale
  /// Bit of the same answer that must be 1 for this value to exist; ``noBit``: none.
  public var supportBit: UInt8
  /// Bit of the same answer that chooses between two meanings of the same bits; ``noBit``: none.
  public var variantBit: UInt8
  /// The value of the variant bit under which this row applies.
  public var variantValue: Bool
  /// Which enumeration (``SAEEnumerations``) or signal-set map holds the texts.
  public var enumeration: UInt16
  /// Receiver address the answer must come from (signal sets: `rax`); ``ECUAddress/unknown``: any.
  public var ecu: ECUAddress
  public var factor: Double
  public var offset: Double
  /// Values at or below are the ECU's way to say "none" (signal sets: `nullmax`); -infinity: never.
  public var nullAtOrBelow: Double
  /// Values at or above are the ECU's way to say "none" (signal sets: `nullmin`); infinity: never.
  public var nullAtOrAbove: Double

  public init(
    service: UInt8, identifier: UInt16, bitOffset: UInt16, bitLength: UInt8, kind: Kind = .number,
    encoding: Encoding = .unsigned, unit: Unit = .none, rescale: Rescale = .none, supportBit: UInt8 = noBit,
    variantBit: UInt8 = noBit, variantValue: Bool = false, enumeration: UInt16 = 0,
    ecu: ECUAddress = .unknown, factor: Double = 1, offset: Double = 0,
    nullAtOrBelow: Double = -.infinity, nullAtOrAbove: Double = .infinity
  ) {
    self.service = service
    self.identifier = identifier
    self.bitOffset = bitOffset
    self.bitLength = bitLength
    self.kind = kind
    self.encoding = encoding
    self.unit = unit
    self.rescale = rescale
    self.supportBit = supportBit
    self.variantBit = variantBit
    self.variantValue = variantValue
    self.enumeration = enumeration
    self.ecu = ecu
    self.factor = factor
    self.offset = offset
    self.nullAtOrBelow = nullAtOrBelow
    self.nullAtOrAbove = nullAtOrAbove
  }
}
