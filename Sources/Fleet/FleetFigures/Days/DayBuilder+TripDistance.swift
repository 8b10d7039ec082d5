extension DayBuilder {
  /// The distance that the gateway reports for a trip, and the distance that telemetry gives for the same time.
  struct TripDistance {
    var time: Range<Int64>
    var kilometers: Double
    /// The length of the part of ``time`` for which telemetry gives a distance, ms.
    var measuredTime: Int64 = 0
    /// The distance that telemetry gives for the time that is counted in ``measuredTime``, km.
    var measuredDistance = 0.0

    var end: Int64 { time.upperBound }

    /// Whether telemetry gives no distance for the trip, or is missing for more than ``longestStep`` of its time.
    var isIncomplete: Bool {
      measuredTime == 0 || end - time.lowerBound - measuredTime > DayBuilder.longestStep
    }
  }
}
