/// The meaning of a unit-and-scaling ID of service 06 (SAE J1979-DA, annex E): value = raw × factor + offset.
///
/// The raw value has two bytes. From ID 80 on, it is in two's complement.
public struct UnitAndScaling: BitwiseCopyable, Sendable {
  /// The ID, 0x01…0xFE.
  public var id: UInt8
  /// Unit of the value.
  public var unit: Unit
  /// The factor by which the raw number is multiplied to get the value in ``unit``.
  public var factor: Double
  /// The number that is added after the multiplication, in ``unit``.
  public var offset: Double

  /// Whether the two bytes are in two's complement.
  public var isSigned: Bool { id >= 0x80 }

  init(_ id: UInt8, _ unit: Unit, _ factor: Double, _ offset: Double = 0) {
    self.id = id
    self.unit = unit
    self.factor = factor
    self.offset = offset
  }

  /// Creates the meaning of an ID; `nil` if the standard reserves it.
  public init?(id: UInt8) {
    var low = 0
    var high = unitsAndScalings.count
    while low < high {
      let middle = (low + high) / 2
      let row = unitsAndScalings.span[middle]
      if row.id == id {
        self = row
        return
      }
      if row.id < id { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  /// Returns the value, or the limit, that two bytes of an answer of service 06 represent.
  public func value(_ raw: UInt16) -> Double {
    Double(isSigned ? Int(Int16(bitPattern: raw)) : Int(raw)) * factor + offset
  }
}

/// The IDs in ascending order. Where J1979 prints a rounded step (0.0000305, 0.000122, 0.001526, …), the printed number
/// is used.
let unitsAndScalings: InlineArray<100, UnitAndScaling> = [
  UnitAndScaling(0x01, .none, 1),
  UnitAndScaling(0x02, .none, 0.1),
  UnitAndScaling(0x03, .none, 0.01),
  UnitAndScaling(0x04, .none, 0.001),
  UnitAndScaling(0x05, .none, 0.0000305),
  UnitAndScaling(0x06, .none, 0.000305),
  UnitAndScaling(0x07, .rpm, 0.25),
  UnitAndScaling(0x08, .kilometresPerHour, 0.01),
  UnitAndScaling(0x09, .kilometresPerHour, 1),
  UnitAndScaling(0x0A, .volt, 0.000122),
  UnitAndScaling(0x0B, .volt, 0.001),
  UnitAndScaling(0x0C, .volt, 0.01),
  UnitAndScaling(0x0D, .milliampere, 0.00390625),
  UnitAndScaling(0x0E, .ampere, 0.001),
  UnitAndScaling(0x0F, .ampere, 0.01),
  UnitAndScaling(0x10, .second, 0.001),
  UnitAndScaling(0x11, .second, 0.1),
  UnitAndScaling(0x12, .second, 1),
  UnitAndScaling(0x13, .ohm, 0.001),
  UnitAndScaling(0x14, .kiloohm, 0.001),
  UnitAndScaling(0x15, .kiloohm, 1),
  UnitAndScaling(0x16, .celsius, 0.1, -40),
  UnitAndScaling(0x17, .kilopascal, 0.01),
  UnitAndScaling(0x18, .kilopascal, 0.0117),
  UnitAndScaling(0x19, .kilopascal, 0.079),
  UnitAndScaling(0x1A, .kilopascal, 1),
  UnitAndScaling(0x1B, .kilopascal, 10),
  UnitAndScaling(0x1C, .degree, 0.01),
  UnitAndScaling(0x1D, .degree, 0.5),
  UnitAndScaling(0x1E, .ratio, 0.0000305),
  UnitAndScaling(0x1F, .ratio, 0.05),
  UnitAndScaling(0x20, .ratio, 0.00390625),
  UnitAndScaling(0x21, .hertz, 0.001),
  UnitAndScaling(0x22, .hertz, 1),
  UnitAndScaling(0x23, .kilohertz, 1),
  UnitAndScaling(0x24, .count, 1),
  UnitAndScaling(0x25, .kilometre, 1),
  UnitAndScaling(0x26, .voltPerMillisecond, 0.0001),
  UnitAndScaling(0x27, .gramsPerSecond, 0.01),
  UnitAndScaling(0x28, .gramsPerSecond, 1),
  UnitAndScaling(0x29, .kilopascalPerSecond, 0.00025),
  UnitAndScaling(0x2A, .kilogramsPerHour, 0.001),
  UnitAndScaling(0x2B, .count, 1),
  UnitAndScaling(0x2C, .gramsPerCylinder, 0.01),
  UnitAndScaling(0x2D, .milligramsPerStroke, 0.01),
  UnitAndScaling(0x2E, .none, 1),
  UnitAndScaling(0x2F, .percent, 0.01),
  UnitAndScaling(0x30, .percent, 0.001526),
  UnitAndScaling(0x31, .litre, 0.001),
  UnitAndScaling(0x32, .millimetre, 0.0007747),
  UnitAndScaling(0x33, .ratio, 0.00024414),
  UnitAndScaling(0x34, .minute, 1),
  UnitAndScaling(0x35, .second, 0.01),
  UnitAndScaling(0x36, .gram, 0.01),
  UnitAndScaling(0x37, .gram, 0.1),
  UnitAndScaling(0x38, .gram, 1),
  UnitAndScaling(0x39, .percent, 0.01, -327.68),
  UnitAndScaling(0x3A, .gram, 0.001),
  UnitAndScaling(0x3B, .gram, 0.0001),
  UnitAndScaling(0x3C, .microsecond, 0.1),
  UnitAndScaling(0x3D, .milliampere, 0.01),
  UnitAndScaling(0x3E, .squareMillimetre, 0.00006103516),
  UnitAndScaling(0x3F, .litre, 0.01),
  UnitAndScaling(0x40, .ppm, 1),
  UnitAndScaling(0x41, .microampere, 0.01),
  UnitAndScaling(0x42, .kilojoule, 0.1),
  UnitAndScaling(0x43, .gramsPerKilowattHour, 0.00024414),
  UnitAndScaling(0x81, .none, 1),
  UnitAndScaling(0x82, .none, 0.1),
  UnitAndScaling(0x83, .none, 0.01),
  UnitAndScaling(0x84, .none, 0.001),
  UnitAndScaling(0x85, .none, 0.0000305),
  UnitAndScaling(0x86, .none, 0.000305),
  UnitAndScaling(0x87, .ppm, 1),
  UnitAndScaling(0x8A, .volt, 0.000122),
  UnitAndScaling(0x8B, .volt, 0.001),
  UnitAndScaling(0x8C, .volt, 0.01),
  UnitAndScaling(0x8D, .milliampere, 0.00390625),
  UnitAndScaling(0x8E, .ampere, 0.001),
  UnitAndScaling(0x8F, .microsecond, 1),
  UnitAndScaling(0x90, .second, 0.001),
  UnitAndScaling(0x91, .second, 0.1),
  UnitAndScaling(0x92, .newtonMetre, 0.1),
  UnitAndScaling(0x96, .celsius, 0.1),
  UnitAndScaling(0x97, .celsius, 0.01),
  UnitAndScaling(0x98, .milligramsPerStroke, 1),
  UnitAndScaling(0x99, .kilopascal, 0.1),
  UnitAndScaling(0x9C, .degree, 0.01),
  UnitAndScaling(0x9D, .degree, 0.5),
  UnitAndScaling(0xA8, .gramsPerSecond, 1),
  UnitAndScaling(0xA9, .pascalPerSecond, 0.25),
  UnitAndScaling(0xAD, .milligramsPerStroke, 0.01),
  UnitAndScaling(0xAE, .milligramsPerStroke, 0.1),
  UnitAndScaling(0xAF, .percent, 0.01),
  UnitAndScaling(0xB0, .percent, 0.003052),
  UnitAndScaling(0xB1, .millivoltPerSecond, 2),
  UnitAndScaling(0xFB, .kilopascal, 10),
  UnitAndScaling(0xFC, .kilopascal, 0.01),
  UnitAndScaling(0xFD, .kilopascal, 0.001),
  UnitAndScaling(0xFE, .pascal, 0.25),
]
