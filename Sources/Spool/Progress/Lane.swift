import Telemetry

/// In which of two queues a record waits.
public enum Lane: Int, CaseIterable, Sendable {
  /// Everything that happens once: it is committed at once, leaves first and is dropped last.
  case events
  /// What is measured again every second or so.
  case telemetry

  /// The queue for records of a type.
  public init(_ type: RecordType) { self = type == .telemetry ? .telemetry : .events }
}
