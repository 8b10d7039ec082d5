import Telemetry

/// One of the two queues in which records wait: that of events and that of telemetry.
public enum Lane: Int, CaseIterable, Sendable {
  /// Events. They are committed at once, delivered first and dropped last.
  case events
  /// Telemetry: measurements that are repeated every second or so.
  case telemetry

  /// The lane in which records of a type wait.
  public init(_ type: RecordType) { self = type == .telemetry ? .telemetry : .events }
}
