/// The integral of a rate over time, by the trapezoidal rule.
struct RateIntegral: BitwiseCopyable, Equatable {
  /// The integral. Its unit is the rate's unit times s.
  private(set) var total = 0.0
  /// Time that the integral covers, s. The time between two readings that are too far apart is not included.
  private(set) var seconds = 0.0
  private var lastRate = 0.0
  private var lastTime: Int64?

  init() {}

  /// Continues an earlier integral. The time until the next reading is not counted.
  init(total: Double, seconds: Double) {
    self.total = total
    self.seconds = seconds
  }

  /// Adds a reading. The time since the previous reading is counted unless it is longer than `longestGap`, ns.
  mutating func add(_ rate: Double, at time: Int64, longestGap: Int64) {
    if let lastTime, time > lastTime, time - lastTime <= longestGap {
      let elapsed = Double(time - lastTime) / 1e9
      total += (rate + lastRate) / 2 * elapsed
      seconds += elapsed
    }
    lastRate = rate
    lastTime = time
  }

  /// Adds `later`, the integral over a later period. The next reading continues from the last reading of that period.
  mutating func add(_ later: RateIntegral) {
    total += later.total
    seconds += later.seconds
    lastRate = later.lastRate
    lastTime = later.lastTime
  }

  /// Excludes the time from the last reading to the next one.
  mutating func interrupt() { lastTime = nil }
}
