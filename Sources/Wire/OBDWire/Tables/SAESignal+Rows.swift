// Functions that create the kinds of rows that occur often in SAE J1979-DA. They are evaluated when the program is
// compiled, so that the table is constant data.

/// One step of a byte whose full scale is 100 %: 100/255 %.
@inline(__always) var perCent255: Double { 100.0 / 255 }

/// The value of ``SignalDefinition/nullAtOrBelow`` if no low value of a signal means "no value": negative infinity. It
/// is written as bits: the compiler does not evaluate `-Double.infinity` in advance, and would build the whole table
/// when the program runs.
@inline(__always) var never: Double { Double(bitPattern: 0xFFF0_0000_0000_0000) }

/// A condition for rows of PIDs 01 and 41: the type of ignition, which bit 12 shows.
struct Ignition: BitwiseCopyable, Sendable {
  var variantBit: UInt8
  var variantValue: Bool

  @inline(__always) static var any: Ignition { Ignition(variantBit: SignalDefinition.noBit, variantValue: false) }
  @inline(__always) static var spark: Ignition { Ignition(variantBit: 12, variantValue: false) }
  @inline(__always) static var compression: Ignition { Ignition(variantBit: 12, variantValue: true) }
}

extension SAESignal {
  /// Creates a row for a numeric signal of service 01.
  @inline(__always) static func number(
    _ pid: UInt16, _ bit: UInt16, _ length: UInt8, _ name: StaticString, _ title: StaticString,
    _ unit: Unit = .none, _ factor: Double = 1, _ offset: Double = 0, signed: Bool = false,
    rescale: SignalDefinition.Rescale = .none, nullAt: Double = .infinity, sup: UInt8 = SignalDefinition.noBit,
    vss: StaticString = ""
  ) -> SAESignal {
    SAESignal(
      definition: SignalDefinition(
        service: 0x01, identifier: pid, bitOffset: bit, bitLength: length,
        encoding: signed ? .signed : .unsigned, unit: unit, rescale: rescale, supportBit: sup,
        factor: factor, offset: offset, nullAtOrBelow: never, nullAtOrAbove: nullAt),
      name: name, title: title, vss: vss)
  }
  /// Creates a row for a byte that means 0…100 %.
  @inline(__always) static func percent(
    _ pid: UInt16, _ bit: UInt16, _ name: StaticString, _ title: StaticString,
    sup: UInt8 = SignalDefinition.noBit, vss: StaticString = ""
  ) -> SAESignal {
    number(pid, bit, 8, name, title, .percent, perCent255, sup: sup, vss: vss)
  }
  /// Creates a row for a byte that means -100 % (0x00) to 99.2 % (0xFF); 0x80 is 0 %.
  @inline(__always) static func trim(
    _ pid: UInt16, _ bit: UInt16, _ name: StaticString, _ title: StaticString, sup: UInt8 = SignalDefinition.noBit
  ) -> SAESignal {
    number(pid, bit, 8, name, title, .percent, 100.0 / 128, -100, sup: sup)
  }
  /// Creates a row for byte B of PIDs 14–1B, which is a fuel trim. FF means that the calculation of the trim does not
  /// use the sensor.
  @inline(__always) static func sensorTrim(_ pid: UInt16, _ name: StaticString, _ title: StaticString) -> SAESignal {
    number(pid, 8, 8, name, title, .percent, 100.0 / 128, -100, nullAt: 99.21875)
  }
  /// Creates a row for a full scale, which PID 4F or 50 contains. The value 0 means that the default full scale
  /// applies.
  @inline(__always) static func fullScale(
    _ pid: UInt16, _ bit: UInt16, _ name: StaticString, _ title: StaticString, _ unit: Unit, _ factor: Double = 1
  ) -> SAESignal {
    SAESignal(
      definition: SignalDefinition(
        service: 0x01, identifier: pid, bitOffset: bit, bitLength: 8, unit: unit, factor: factor, nullAtOrBelow: 0),
      name: name, title: title)
  }
  /// Creates a row for a byte that means −40…215 °C.
  @inline(__always) static func celsius(
    _ pid: UInt16, _ bit: UInt16, _ name: StaticString, _ title: StaticString,
    sup: UInt8 = SignalDefinition.noBit, vss: StaticString = ""
  ) -> SAESignal {
    number(pid, bit, 8, name, title, .celsius, 1, -40, sup: sup, vss: vss)
  }
  /// Creates a row for two bytes that mean −40…6,513.5 °C.
  @inline(__always) static func celsius16(
    _ pid: UInt16, _ bit: UInt16, _ name: StaticString, _ title: StaticString,
    sup: UInt8 = SignalDefinition.noBit, vss: StaticString = ""
  ) -> SAESignal {
    number(pid, bit, 16, name, title, .celsius, 0.1, -40, sup: sup, vss: vss)
  }
  /// Creates a row for bytes A and B that mean an equivalence ratio of 0…2, unless PID 4F sets another full scale.
  @inline(__always) static func lambda(_ pid: UInt16, _ name: StaticString, _ title: StaticString) -> SAESignal {
    number(pid, 0, 16, name, title, .ratio, 2.0 / 65_536, rescale: .equivalenceRatio)
  }
  /// Creates a row for bytes C and D that mean 0…8 V, unless PID 4F sets another full scale.
  @inline(__always) static func wideVoltage(_ pid: UInt16, _ name: StaticString, _ title: StaticString) -> SAESignal {
    number(pid, 16, 16, name, title, .volt, 8.0 / 65_536, rescale: .oxygenSensorVoltage)
  }
  /// Creates a row for bytes C and D that mean −128…128 mA, unless PID 4F sets another full scale.
  @inline(__always) static func wideCurrent(_ pid: UInt16, _ name: StaticString, _ title: StaticString) -> SAESignal {
    number(pid, 16, 16, name, title, .milliampere, 1.0 / 256, -128, rescale: .oxygenSensorCurrent)
  }
  /// Creates a row for two bytes that mean ppm. FFFF means that the sensor has no value.
  @inline(__always) static func nox(
    _ pid: UInt16, _ bit: UInt16, _ name: StaticString, _ title: StaticString, sup: UInt8
  ) -> SAESignal {
    number(pid, bit, 16, name, title, .ppm, nullAt: 65_535, sup: sup)
  }
  /// Creates a row for a code that stands for a text.
  ///
  /// - Parameters:
  ///   - nullUpTo: codes up to this one mean "not available".
  ///   - nullAt: codes from this one on mean "not available".
  @inline(__always) static func enumeration(
    _ pid: UInt16, _ bit: UInt16, _ length: UInt8, _ name: StaticString, _ title: StaticString,
    _ enumeration: SAEEnumeration, nullUpTo: Double = never, nullAt: Double = .infinity,
    sup: UInt8 = SignalDefinition.noBit, zeroIsAbsentBeside: UInt8 = SignalDefinition.noByte
  ) -> SAESignal {
    SAESignal(
      definition: SignalDefinition(
        service: 0x01, identifier: pid, bitOffset: bit, bitLength: length, kind: .enumeration, supportBit: sup,
        zeroIsAbsentBeside: zeroIsAbsentBeside, enumeration: enumeration.rawValue, nullAtOrBelow: nullUpTo,
        nullAtOrAbove: nullAt),
      name: name, title: title)
  }
  /// Creates a row for one bit; 1 means true. If a type of ignition is given, the row applies only with that type.
  @inline(__always) static func flag(
    _ pid: UInt16, _ bit: UInt16, _ name: StaticString, _ title: StaticString, _ ignition: Ignition = .any,
    sup: UInt8 = SignalDefinition.noBit
  ) -> SAESignal {
    SAESignal(
      definition: SignalDefinition(
        service: 0x01, identifier: pid, bitOffset: bit, bitLength: 1, kind: .flag, supportBit: sup,
        variantBit: ignition.variantBit, variantValue: ignition.variantValue,
        nullAtOrBelow: never),
      name: name, title: title)
  }
  /// Creates a row for a bit that shows whether another value of the answer exists.
  @inline(__always) static func support(_ pid: UInt16, _ bit: UInt16, _ name: StaticString) -> SAESignal {
    flag(pid, bit, name, "Support bit of the value that the name begins with")
  }
  /// Creates a row for a bit that shows whether a monitor is ready. In the standard, 0 means ready, so the value is 1 −
  /// raw.
  @inline(__always) static func ready(
    _ pid: UInt16, _ bit: UInt16, _ name: StaticString, _ title: StaticString, _ ignition: Ignition = .any,
    sup: UInt8 = SignalDefinition.noBit
  ) -> SAESignal {
    SAESignal(
      definition: SignalDefinition(
        service: 0x01, identifier: pid, bitOffset: bit, bitLength: 1, kind: .flag, supportBit: sup,
        variantBit: ignition.variantBit, variantValue: ignition.variantValue,
        factor: -1, offset: 1, nullAtOrBelow: never),
      name: name, title: title)
  }
  /// Creates a row for a number of service 09.
  @inline(__always) static func vehicleInformation(
    _ infoType: UInt16, _ bit: UInt16, _ length: UInt8, _ name: StaticString, _ title: StaticString, _ unit: Unit
  ) -> SAESignal {
    SAESignal(
      definition: SignalDefinition(
        service: 0x09, identifier: infoType, bitOffset: bit, bitLength: length, unit: unit,
        nullAtOrBelow: never),
      name: name, title: title)
  }
  /// Creates a row for a counter of service 09 with 16 bits.
  @inline(__always) static func counter(_ infoType: UInt16, _ bit: UInt16, _ name: StaticString, _ title: StaticString)
    -> SAESignal
  {
    vehicleInformation(infoType, bit, 16, name, title, .count)
  }
  /// Creates a row for a value that the adapter itself measures.
  @inline(__always) static func adapter(
    _ name: StaticString, _ title: StaticString, _ unit: Unit, vss: StaticString = ""
  ) -> SAESignal {
    SAESignal(
      definition: SignalDefinition(
        service: 0, identifier: 0, bitOffset: 0, bitLength: 16, unit: unit,
        nullAtOrBelow: never),
      name: name, title: title, vss: vss)
  }
}
