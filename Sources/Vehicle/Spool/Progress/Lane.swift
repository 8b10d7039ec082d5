import Telemetry

/// One of the two queues in which records wait: one for events, and one for telemetry.
public enum Lane: Int, CaseIterable, Sendable {
  /// Events. They are committed by the next ``Spool/advance(to:)``, delivered first, and dropped last.
  case events
  /// Telemetry: measurements that are repeated every second or so.
  case telemetry

  /// The lane in which records of a type wait.
  public init(_ type: RecordType) { self = type == .telemetry ? .telemetry : .events }
}
