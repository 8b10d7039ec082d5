/// The position of a signal in an answer and the meaning of its bits, as data instead of code.
///
/// Bits are counted from 0 at the most significant bit of the first data byte, which follows the PID or data
/// identifier. OBDb's `bix` and the tables of SAE J1979-DA count in the same way.
///
///     value = raw × factor + offset
public struct SignalDefinition: BitwiseCopyable, Sendable {
  /// The kind of value.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// `raw × factor + offset`
    case number
    /// One bit, true or false.
    case flag
    /// A code with a text (``SAEEnumerations`` or the signal set's map).
    case enumeration
  }
  /// The representation of the raw value.
  public enum Encoding: UInt8, BitwiseCopyable, Sendable {
    case unsigned, signed, unsignedLittleEndian, signedLittleEndian
  }
  /// A scaling that an ECU may redefine with PID 4F or 50 (SAE J1979-DA, table of PIDs 4F and 50).
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
  /// Value of a support or variant bit that is not used.
  public static let noBit: UInt8 = 0xFF
  /// Value of ``zeroIsAbsentBeside`` if it is not used.
  public static let noByte: UInt8 = 0xFF

  /// Service: 0x01 for SAE PIDs, which services 02 and 22 F4xx use too; 0x09, 0x21 or 0x22.
  public var service: UInt8
  /// PID, local identifier or data identifier.
  public var identifier: UInt16
  /// Index of the first bit.
  public var bitOffset: UInt16
  /// Number of bits, 1…64.
  public var bitLength: UInt8
  /// Kind of the value.
  public var kind: Kind
  /// Representation of the raw value.
  public var encoding: Encoding
  /// Unit of the value.
  public var unit: Unit
  /// Scaling that an ECU may redefine.
  public var rescale: Rescale
  /// Bit of the same answer that must be 1 for the value to exist; ``noBit`` if there is none.
  public var supportBit: UInt8
  /// Bit of the same answer that selects one of two meanings of the same bits; ``noBit`` if there is none.
  public var variantBit: UInt8
  /// The value of the variant bit for which this row applies.
  public var variantValue: Bool
  /// Index of a byte of the same answer; ``noByte`` if there is none. While that byte is not 0, a raw value of 0 means
  /// that the component does not exist, such as the second fuel system of a running engine.
  public var zeroIsAbsentBeside: UInt8
  /// The enumeration (``SAEEnumerations``) or map of a signal set that contains the texts.
  public var enumeration: UInt16
  /// Address from which the answer must come (signal sets: `rax`); ``ECUAddress/unknown`` for any.
  public var ecu: ECUAddress
  /// Factor from the raw value to the value.
  public var factor: Double
  /// Value for the raw value 0.
  public var offset: Double
  /// Values at or below this mean "no value" (signal sets: `nullmax`); -infinity if there are none.
  public var nullAtOrBelow: Double
  /// Values at or above this mean "no value" (signal sets: `nullmin`); infinity if there are none.
  public var nullAtOrAbove: Double

  /// Creates a definition.
  public init(
    service: UInt8, identifier: UInt16, bitOffset: UInt16, bitLength: UInt8, kind: Kind = .number,
    encoding: Encoding = .unsigned, unit: Unit = .none, rescale: Rescale = .none, supportBit: UInt8 = noBit,
    variantBit: UInt8 = noBit, variantValue: Bool = false, zeroIsAbsentBeside: UInt8 = noByte, enumeration: UInt16 = 0,
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
    self.zeroIsAbsentBeside = zeroIsAbsentBeside
    self.enumeration = enumeration
    self.ecu = ecu
    self.factor = factor
    self.offset = offset
    self.nullAtOrBelow = nullAtOrBelow
    self.nullAtOrAbove = nullAtOrAbove
  }
}
