/// The position of a signal's bits in an answer, and their meaning, as data instead of code.
///
/// Bit 0 is the most significant bit of the first data byte, which follows the PID or data identifier. OBDb's `bix` and
/// the tables of SAE J1979-DA count in the same way.
///
///     value = raw × factor + offset
public struct SignalDefinition: BitwiseCopyable, Sendable {
  /// The kind of value that a signal has.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// `raw × factor + offset`
    case number
    /// One bit, true or false.
    case flag
    /// A code that stands for a text. The texts are in ``SAEEnumerations`` or in the map of the signal set.
    case enumeration
  }
  /// How the bits represent the raw value.
  public enum Encoding: UInt8, BitwiseCopyable, Sendable {
    case unsigned, signed, unsignedLittleEndian, signedLittleEndian
  }
  /// A scaling that an ECU may change with its answer to PID 4F or 50 (SAE J1979-DA, table of PIDs 4F and 50).
  public enum Rescale: UInt8, BitwiseCopyable, Sendable {
    case none
    /// PID 4F, byte A: full scale of equivalence ratios (default 2).
    case equivalenceRatio
    /// PID 4F, byte B: full scale of oxygen sensor voltages (default 8 V).
    case oxygenSensorVoltage
    /// PID 4F, byte C: full scale of oxygen sensor currents (default 128 mA in either direction).
    case oxygenSensorCurrent
    /// PID 4F, byte D: full scale of manifold pressure, in steps of 10 kPa (default 255 kPa).
    case manifoldPressure
    /// PID 50, byte A: full scale of mass air flow, in steps of 10 g/s (default 655.35 g/s).
    case massAirFlow
  }
  /// The value of ``supportBit`` and ``variantBit`` if there is no such bit.
  public static let noBit: UInt8 = 0xFF
  /// The value of ``zeroIsAbsentBeside`` if there is no such byte.
  public static let noByte: UInt8 = 0xFF

  /// Service of the signal: 0x01, 0x09, 0x21, 0x22, or 0 for a value that the adapter measures. Definitions for 0x01
  /// are also used for the PIDs in service 02 and in 22 F4xx.
  public var service: UInt8
  /// PID, information type, local identifier or data identifier.
  public var identifier: UInt16
  /// Index of the signal's first bit.
  public var bitOffset: UInt16
  /// Number of bits, 1…64.
  public var bitLength: UInt8
  /// Kind of the value.
  public var kind: Kind
  /// How the bits represent the raw value.
  public var encoding: Encoding
  /// Unit of the value.
  public var unit: Unit
  /// The scaling of the value that an ECU may change.
  public var rescale: Rescale
  /// Index of a bit of the same answer that must be 1 if the value exists; ``noBit`` if there is none.
  public var supportBit: UInt8
  /// Index of a bit of the same answer, which selects one of two meanings of this signal's bits; ``noBit`` if there is
  /// none.
  public var variantBit: UInt8
  /// The value of the variant bit for which this definition applies.
  public var variantValue: Bool
  /// Index of another byte of the same answer; ``noByte`` if there is none. While that byte is not 0, a raw value of 0
  /// means that the signal's component does not exist, for example the second fuel system of a running engine.
  public var zeroIsAbsentBeside: UInt8
  /// Number of the enumeration (``SAEEnumerations``), or of the map of a signal set, that contains the texts.
  public var enumeration: UInt16
  /// Address from which the answer must come (`rax` of signal sets); ``ECUAddress/unknown`` for any.
  public var ecu: ECUAddress
  /// The factor by which the raw value is multiplied.
  public var factor: Double
  /// The number that is added after the multiplication; it is the value for the raw value 0.
  public var offset: Double
  /// Values at or below this mean "no value" (`nullmin` of signal sets); -infinity if there are none.
  public var nullAtOrBelow: Double
  /// Values at or above this mean "no value" (`nullmax` of signal sets); infinity if there are none.
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
