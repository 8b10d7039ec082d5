import OBDWire
import Telemetry

/// One key of telemetry records, with the last value that each ECU reported for it.
struct Column: BitwiseCopyable {
  /// The source of the key's text.
  enum Name: BitwiseCopyable {
    case table(StaticString)
    /// The key belongs to a signal that was loaded at run time. The number is the signal's index.
    case loaded(Int)
  }
  /// The type of a column's values.
  enum Content: UInt8, BitwiseCopyable {
    case number, flag, enumeration
    /// A text or list, which is stored in ``ECUState`` instead of ``values``.
    case vin, troubleCodes
  }
  /// The purpose for which a value is used in addition to telemetry.
  enum Role: UInt8, BitwiseCopyable {
    case none, engineSpeed, vehicleSpeed, mil, distanceMIL, monitor, fuelType, obdStandard
  }

  var name: Name
  var content: Content
  var role = Role.none
  var motion = Motion.none
  /// The signal's PID of service 01; 0 if the signal has another service.
  var parameter: UInt8 = 0
  /// Bit position of the value in the ECU's answer. It is used only if ``role`` is `monitor`.
  var bit: UInt8 = 0
  var enumeration: UInt16 = 0
  /// Index of the ECU whose value is at the top level of the record. The values of the other ECUs are under their
  /// addresses.
  var owner: UInt8 = 0
  /// The ECUs that have reported this value at least once. Bit n stands for the ECU with index n.
  var known: UInt16 = 0
  /// The ECUs whose values belong in the next record. These are the ECUs that have reported this value since the last
  /// record and, as soon as the record is made, also those whose earlier value is still valid. Bit n stands for the ECU
  /// with index n.
  var fresh: UInt16 = 0
  /// The ECUs whose values for this key are in the last record. Bit n stands for the ECU with index n.
  var recorded: UInt16 = 0
  /// Time for which records repeat a value after it was read, ns. If 0, only the record of the interval in which the
  /// value was read contains it.
  var window: Int64 = 0
  /// The shorter of the last two intervals between readings, ns. The shorter one is used so that a single late answer
  /// does not matter. On a slow bus, even the shorter interval exceeds the requested period.
  var pace: Int64 = 0
  /// The last interval between readings, ns.
  private var interval: Int64 = .max
  var values = InlineArray<9, Double>(repeating: 0)
  /// For each ECU, the time at which its value was read, ns.
  var times = InlineArray<9, Int64>(repeating: .min / 2)

  init(name: Name, content: Content) {
    self.name = name
    self.content = content
  }

  /// Stores the time at which an ECU's value was read, and updates ``pace``.
  @inline(__always)
  mutating func storeTime(_ now: Int64, of ecu: Int) {
    let interval = now - times[ecu]
    pace = min(self.interval, interval)
    self.interval = interval
    times[ecu] = now
  }

  /// Creates the column of a signal that a standard defines.
  init(_ signal: SAESignal, name: StaticString) {
    let definition = signal.definition
    self.name = .table(name)
    content = Content(definition.kind)
    enumeration = definition.enumeration
    motion = Motion(definition)
    guard definition.service == 1 else { return }
    parameter = UInt8(truncatingIfNeeded: definition.identifier)
    bit = UInt8(truncatingIfNeeded: definition.bitOffset)
    role =
      switch definition.identifier {
      case 0x01: definition.bitOffset == 0 ? .mil : .monitor
      case 0x0C: .engineSpeed
      case 0x0D: .vehicleSpeed
      case 0x1C: .obdStandard
      case 0x21: .distanceMIL
      case 0x41: .monitor
      case 0x51: .fuelType
      default: .none
      }
  }
}

extension Column.Content {
  init(_ kind: SignalDefinition.Kind) {
    self =
      switch kind {
      case .number: .number
      case .flag: .flag
      case .enumeration: .enumeration
      }
  }
}
