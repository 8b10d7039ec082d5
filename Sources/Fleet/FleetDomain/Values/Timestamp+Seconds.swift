import Telemetry

extension Timestamp {
  /// The range of the times that clients may state: the years 1678 to 2261.
  public static let stated: ClosedRange<Timestamp> = {
    func start(_ year: Int) -> Int64 { Int64(days(year: year, month: 1, day: 1)) * 86_400_000_000_000 }
    return Timestamp(nanoseconds: start(1_678))...Timestamp(nanoseconds: start(2_262) - 1)
  }()

  /// Returns the time that is this number of seconds later; the earliest or latest possible time if the result cannot
  /// be represented.
  public func adding(seconds: Int) -> Timestamp {
    let (nanoseconds, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return adding(nanoseconds: overflow ? (seconds < 0 ? .min : .max) : nanoseconds)
  }

  /// Returns the time that is this number of nanoseconds later; the earliest or latest possible time if the result
  /// cannot be represented.
  public func adding(nanoseconds count: Int64) -> Timestamp {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
    return Timestamp(nanoseconds: overflow ? (count < 0 ? .min : .max) : sum)
  }

  /// Returns the number of nanoseconds from another time to this one; the lowest or highest number if the result cannot
  /// be represented, which is about 292 years.
  public func nanoseconds(since other: Timestamp) -> Int64 {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(other.nanoseconds)
    return overflow ? (self < other ? .min : .max) : difference
  }

  /// Creates a time, which is limited to the years 1678 to 2261. Days of requests may be outside of these years.
  ///
  /// - Parameter milliseconds: ms since 1970.
  public init(limiting milliseconds: Int64) {
    let (first, last) = (Self.stated.lowerBound.milliseconds, Self.stated.upperBound.milliseconds)
    self.init(nanoseconds: min(max(milliseconds, first), last) * 1_000_000)
  }
}
