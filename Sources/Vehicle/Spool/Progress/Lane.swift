import Telemetry

/// The two queues of records.
public enum Lane: Int, CaseIterable, Sendable {
  /// Events: committed immediately, delivered first, dropped last.
  case events
  /// Measurements that repeat every second or so.
  case telemetry

  /// The lane of a record type.
  public init(_ type: RecordType) { self = type == .telemetry ? .telemetry : .events }
}
