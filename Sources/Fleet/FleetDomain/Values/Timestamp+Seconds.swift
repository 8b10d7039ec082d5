import Telemetry

extension Timestamp {
  /// Returns the time that is this number of seconds later.
  public func adding(seconds: Int) -> Timestamp {
    Timestamp(nanoseconds: nanoseconds + Int64(seconds) * 1_000_000_000)
  }

  /// Creates a time, which is limited to the years 1678 to 2261. Days of requests may be outside of these years.
  ///
  /// - Parameter milliseconds: ms since 1970.
  public init(limiting milliseconds: Int64) {
    func start(_ year: Int) -> Int64 { Int64(Self.days(year: year, month: 1, day: 1)) * 86_400_000 }
    self.init(nanoseconds: min(max(milliseconds, start(1_678)), start(2_262) - 1) * 1_000_000)
  }
}
