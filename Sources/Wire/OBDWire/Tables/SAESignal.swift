/// One row of ``saeSignals``: where a value is in an answer, and its names.
public struct SAESignal: BitwiseCopyable, Sendable {
  /// Where the value is in the answer, and what its bits mean.
  public var definition: SignalDefinition
  /// The key of the value in records, for example `rpm`, `coolantTemp` or `egrTemperatureA`.
  public var name: StaticString
  /// A description of the value for people.
  public var title: StaticString
  /// Path of the value in the COVESA Vehicle Signal Specification 6.0; empty if the specification has no such signal in
  /// the same unit. (VSS 6.0 no longer has the branch `Vehicle.OBD`.)
  public var vss: StaticString

  /// Creates a row.
  public init(definition: SignalDefinition, name: StaticString, title: StaticString, vss: StaticString = "") {
    self.definition = definition
    self.name = name
    self.title = title
    self.vss = vss
  }
}

/// How the oxygen sensors are numbered, which depends on the PID that describes them. The layout selects the group of
/// rows for PIDs 14–1B, 24–2B and 34–3B.
public enum OxygenSensorLayout: UInt8, BitwiseCopyable, Sendable {
  /// The ECU has answered neither PID 13 nor PID 1D. The sensors are numbered 1–8.
  case unknown
  /// The ECU has answered PID 13: two banks of four sensors.
  case twoBanks
  /// The ECU has answered PID 1D: four banks of two sensors.
  case fourBanks
}

/// Functions to find rows of ``saeSignals``.
public enum SAESignals {
  /// Returns the rows of one identifier; empty if the standard does not define it. If the rows depend on the layout of
  /// the oxygen sensors, those of all layouts are returned.
  ///
  /// - Parameters:
  ///   - service: 0x01, 0x09, or 0 for measurements of the adapter.
  ///   - identifier: PID or information type.
  public static func rows(service: UInt8, identifier: UInt16) -> Range<Int> {
    let first = firstRow(from: key(service, identifier))
    return first..<firstRow(from: key(service, identifier) + 1)
  }

  /// Returns the rows of one identifier for one layout of the oxygen sensors. For PIDs 14–1B, 24–2B and 34–3B, this is
  /// a third of the identifier's rows; for all others, it is all rows.
  public static func rows(service: UInt8, identifier: UInt16, layout: OxygenSensorLayout) -> Range<Int> {
    let all = rows(service: service, identifier: identifier)
    guard service == 1, dependsOnLayout(identifier) else { return all }
    let size = all.count / 3
    let first = all.lowerBound + size * Int(layout.rawValue)
    return first..<first + size
  }

  /// Whether a PID has three groups of rows, one for each ``OxygenSensorLayout``.
  public static func dependsOnLayout(_ pid: UInt16) -> Bool {
    switch pid {
    case 0x14...0x1B, 0x24...0x2B, 0x34...0x3B: true
    default: false
    }
  }

  private static func key(_ service: UInt8, _ identifier: UInt16) -> UInt32 {
    UInt32(service) << 16 | UInt32(identifier)
  }

  /// Returns the index of the first row whose key is at least `wanted`, by a binary search.
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
