extension DayBuilder {
  /// The distance that the gateway reports for a trip, and the distance that telemetry gives for the same time.
  struct TripDistance {
    var time: Range<Int64>
    var kilometers: Double
    /// The part of the time for which telemetry gives a distance, ms.
    var measuredTime: Int64 = 0
    /// The distance that telemetry gives, km.
    var measuredDistance = 0.0

    var end: Int64 { time.upperBound }

    /// Whether telemetry lacks an essential part of the trip.
    var isIncomplete: Bool {
      measuredTime == 0 || end - time.lowerBound - measuredTime > DayBuilder.longestStep
    }
  }
}
