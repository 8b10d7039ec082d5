import OBDWire
import Telemetry

/// One key of telemetry: what it is called, and what each ECU said last.
struct Column: BitwiseCopyable {
  /// Where the key's text comes from.
  enum Name: BitwiseCopyable {
    case table(StaticString)
    /// Index of a signal loaded at run time.
    case loaded(Int)
  }
  /// What the column holds.
  enum Content: UInt8, BitwiseCopyable {
    case number, flag, enumeration
    /// Text and list that stand with the ECU.
    case vin, troubleCodes
  }
  /// What else than telemetry the value is for.
  enum Role: UInt8, BitwiseCopyable {
    case none, engineSpeed, vehicleSpeed, mil, distanceMIL, monitor, fuelType, obdStandard
  }

  var name: Name
  var content: Content
  var role = Role.none
  var motion = Motion.none
  /// The PID of service 01; 0 for others.
  var parameter: UInt8 = 0
  /// Place of the value in the answer, where ``role`` is `monitor`.
  var bit: UInt8 = 0
  var enumeration: UInt16 = 0
  /// The ECU whose value is the plain key.
  var owner: UInt8 = 0
  /// Bit n: ECU n has ever answered.
  var known: UInt16 = 0
  /// Bit n: ECU n has answered since the last record.
  var fresh: UInt16 = 0
  /// Bit n: ECU n's value was in the record before.
  var told: UInt16 = 0
  /// How long a value stands in records after it was read, ns; 0: in the record of its own interval only.
  var window: Int64 = 0
  /// Time between two readings, ns, the shorter of the last two: a slow bus does not keep the period that was asked for,
  /// and a single answer that was long in coming does not make it one.
  var pace: Int64 = 0
  /// Time between the last two readings, ns.
  private var interval: Int64 = .max
  var values = InlineArray<9, Double>(repeating: 0)
  /// When each was read.
  var times = InlineArray<9, Int64>(repeating: .min / 2)

  init(name: Name, content: Content) {
    self.name = name
    self.content = content
  }

  /// Takes note of a reading of an ECU.
  @inline(__always)
  mutating func noteTime(_ now: Int64, of ecu: Int) {
    let interval = now - times[ecu]
    pace = min(self.interval, interval)
    self.interval = interval
    times[ecu] = now
  }

  /// The column of a row of the standard's table.
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
