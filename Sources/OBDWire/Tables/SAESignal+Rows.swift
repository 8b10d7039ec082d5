// The words in which the table is written: one for each shape of row that recurs in SAE J1979-DA. They fold away at
// compile time, so that the table is constant data.

/// 100/255 % a step: a byte as a share of its full scale.
@inline(__always) var perCent255: Double { 100.0 / 255 }

/// No value says "none". Written by its bits: a negated infinity does not fold, and the whole table would be built at run
/// time.
@inline(__always) private var never: Double { Double(bitPattern: 0xFFF0_0000_0000_0000) }

/// Whether a row of PIDs 01 and 41 depends on the ignition (bit 12 of both).
struct Ignition: BitwiseCopyable, Sendable {
  var variantBit: UInt8
  var variantValue: Bool

  @inline(__always) static var any: Ignition { Ignition(variantBit: SignalDefinition.noBit, variantValue: false) }
  @inline(__always) static var spark: Ignition { Ignition(variantBit: 12, variantValue: false) }
  @inline(__always) static var compression: Ignition { Ignition(variantBit: 12, variantValue: true) }
}

extension SAESignal {
  /// Any number of service 01.
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
  /// A byte, 0…100 %.
  @inline(__always) static func percent(
    _ pid: UInt16, _ bit: UInt16, _ name: StaticString, _ title: StaticString,
    sup: UInt8 = SignalDefinition.noBit, vss: StaticString = ""
  ) -> SAESignal {
    number(pid, bit, 8, name, title, .percent, perCent255, sup: sup, vss: vss)
  }
  /// A byte, −100…99.2 %, 0 at 80.
  @inline(__always) static func trim(
    _ pid: UInt16, _ bit: UInt16, _ name: StaticString, _ title: StaticString, sup: UInt8 = SignalDefinition.noBit
  ) -> SAESignal {
    number(pid, bit, 8, name, title, .percent, 100.0 / 128, -100, sup: sup)
  }
  /// Byte B of PIDs 14–1B: a trim. The standard also has FF (99.2 %) for a sensor that takes no part in trims; a byte that
  /// was sent is shown as the value it stands for, as confirmed recordings have it.
  @inline(__always) static func sensorTrim(_ pid: UInt16, _ name: StaticString, _ title: StaticString) -> SAESignal {
    number(pid, 8, 8, name, title, .percent, 100.0 / 128, -100)
  }
  /// A byte, −40…215 °C.
  @inline(__always) static func celsius(
    _ pid: UInt16, _ bit: UInt16, _ name: StaticString, _ title: StaticString,
    sup: UInt8 = SignalDefinition.noBit, vss: StaticString = ""
  ) -> SAESignal {
    number(pid, bit, 8, name, title, .celsius, 1, -40, sup: sup, vss: vss)
  }
  /// Two bytes, −40…6,513.5 °C.
  @inline(__always) static func celsius16(
    _ pid: UInt16, _ bit: UInt16, _ name: StaticString, _ title: StaticString,
    sup: UInt8 = SignalDefinition.noBit, vss: StaticString = ""
  ) -> SAESignal {
    number(pid, bit, 16, name, title, .celsius, 0.1, -40, sup: sup, vss: vss)
  }
  /// Bytes A and B: equivalence ratio, 0…2 unless PID 4F says otherwise.
  @inline(__always) static func lambda(_ pid: UInt16, _ name: StaticString, _ title: StaticString) -> SAESignal {
    number(pid, 0, 16, name, title, .ratio, 2.0 / 65_536, rescale: .equivalenceRatio)
  }
  /// Bytes C and D: 0…8 V unless PID 4F says otherwise.
  @inline(__always) static func wideVoltage(_ pid: UInt16, _ name: StaticString, _ title: StaticString) -> SAESignal {
    number(pid, 16, 16, name, title, .volt, 8.0 / 65_536, rescale: .oxygenSensorVoltage)
  }
  /// Bytes C and D: −128…128 mA unless PID 4F says otherwise.
  @inline(__always) static func wideCurrent(_ pid: UInt16, _ name: StaticString, _ title: StaticString) -> SAESignal {
    number(pid, 16, 16, name, title, .milliampere, 1.0 / 256, -128, rescale: .oxygenSensorCurrent)
  }
  /// Two bytes, ppm; FFFF is a sensor without a value.
  @inline(__always) static func nox(
    _ pid: UInt16, _ bit: UInt16, _ name: StaticString, _ title: StaticString, sup: UInt8
  ) -> SAESignal {
    number(pid, bit, 16, name, title, .ppm, nullAt: 65_535, sup: sup)
  }
  /// A code with a text.
  @inline(__always) static func enumeration(
    _ pid: UInt16, _ bit: UInt16, _ length: UInt8, _ name: StaticString, _ title: StaticString,
    _ enumeration: SAEEnumeration, sup: UInt8 = SignalDefinition.noBit
  ) -> SAESignal {
    SAESignal(
      definition: SignalDefinition(
        service: 0x01, identifier: pid, bitOffset: bit, bitLength: length, kind: .enumeration, supportBit: sup,
        enumeration: enumeration.rawValue, nullAtOrBelow: never),
      name: name, title: title)
  }
  /// One bit: 1 is true. With an ignition: only where bit 12 says so.
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
  /// One bit that says whether another value of the answer exists.
  @inline(__always) static func support(_ pid: UInt16, _ bit: UInt16, _ name: StaticString) -> SAESignal {
    flag(pid, bit, name, "Support bit of the value that the name begins with")
  }
  /// One bit of readiness, which the standard sends the other way round: 0 is ready (value = 1 − raw).
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
  /// A number of service 09.
  @inline(__always) static func vehicleInformation(
    _ infoType: UInt16, _ bit: UInt16, _ length: UInt8, _ name: StaticString, _ title: StaticString, _ unit: Unit
  ) -> SAESignal {
    SAESignal(
      definition: SignalDefinition(
        service: 0x09, identifier: infoType, bitOffset: bit, bitLength: length, unit: unit,
        nullAtOrBelow: never),
      name: name, title: title)
  }
  /// A 16-bit counter of service 09.
  @inline(__always) static func counter(_ infoType: UInt16, _ bit: UInt16, _ name: StaticString, _ title: StaticString)
    -> SAESignal
  {
    vehicleInformation(infoType, bit, 16, name, title, .count)
  }
  /// What the adapter measures itself.
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
