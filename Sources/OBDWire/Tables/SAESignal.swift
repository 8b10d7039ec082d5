/// One row of ``saeSignals``: how a value lies in an answer, and what it is called.
public struct SAESignal: BitwiseCopyable, Sendable {
  /// How the value lies in the answer and what its bits mean.
  public var definition: SignalDefinition
  /// The key under which records carry the value: `rpm`, `coolantTemp`, `egrTemperatureA`.
  public var name: StaticString
  /// What it is, for people.
  public var title: StaticString
  /// Its path in the COVESA Vehicle Signal Specification 6.0; empty where the specification has no such signal in the
  /// same unit. (VSS 6.0 no longer has the `Vehicle.OBD` branch.)
  public var vss: StaticString

  public init(definition: SignalDefinition, name: StaticString, title: StaticString, vss: StaticString = "") {
    self.definition = definition
    self.name = name
    self.title = title
    self.vss = vss
  }
}

/// Which PID says where the oxygen sensors sit, and so which group of rows names PIDs 14–1B, 24–2B and 34–3B.
public enum OxygenSensorLayout: UInt8, BitwiseCopyable, Sendable {
  /// Neither PID 13 nor 1D was seen: the sensors are numbered 1–8.
  case unknown
  /// PID 13: two banks of four sensors.
  case twoBanks
  /// PID 1D: four banks of two sensors.
  case fourBanks
}

/// Finds rows of ``saeSignals``.
public enum SAESignals {
  /// The rows of one identifier, all layouts; empty where the standard has none.
  ///
  /// - Parameter service: 0x01, 0x09, or 0 for what the adapter measures itself.
  public static func rows(service: UInt8, identifier: UInt16) -> Range<Int> {
    let first = firstRow(from: key(service, identifier))
    return first..<firstRow(from: key(service, identifier) + 1)
  }

  /// The rows of one identifier under a layout: a third of them for PIDs 14–1B, 24–2B and 34–3B, else all.
  public static func rows(service: UInt8, identifier: UInt16, layout: OxygenSensorLayout) -> Range<Int> {
    let all = rows(service: service, identifier: identifier)
    guard service == 1, dependsOnLayout(identifier) else { return all }
    let size = all.count / 3
    let first = all.lowerBound + size * Int(layout.rawValue)
    return first..<first + size
  }

  /// True for the PIDs whose rows come in three groups, one for each ``OxygenSensorLayout``.
  public static func dependsOnLayout(_ pid: UInt16) -> Bool {
    switch pid {
    case 0x14...0x1B, 0x24...0x2B, 0x34...0x3B: true
    default: false
    }
  }

  private static func key(_ service: UInt8, _ identifier: UInt16) -> UInt32 {
    UInt32(service) << 16 | UInt32(identifier)
  }

  /// The index of the first row at or behind a key: a binary search, ten steps.
  private static func firstRow(from wanted: UInt32) -> Int {
    var low = 0
    var high = saeSignals.count
    while low < high {
      let middle = (low + high) / 2
      let definition = saeSignals.span[middle].definition
      if key(definition.service, definition.identifier) < wanted { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
