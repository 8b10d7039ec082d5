import Telemetry

extension Timestamp {
  /// Returns the time that is this number of seconds later.
  public func adding(seconds: Int) -> Timestamp {
    Timestamp(nanoseconds: nanoseconds + Int64(seconds) * 1_000_000_000)
  }
}
