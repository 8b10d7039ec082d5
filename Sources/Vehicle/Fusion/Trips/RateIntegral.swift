/// The integral of a rate over time, by the trapezoidal rule.
struct RateIntegral: BitwiseCopyable, Equatable {
  /// The integral, in the rate's unit × s.
  private(set) var total = 0.0
  /// Time that it covers, s.
  private(set) var seconds = 0.0
  private var lastRate = 0.0
  private var lastTime: Int64?

  init() {}

  /// Continues an earlier integral after a gap.
  init(total: Double, seconds: Double) {
    self.total = total
    self.seconds = seconds
  }

  /// Adds a reading. The interval since the previous one counts unless it is longer than `longestGap`, ns.
  mutating func add(_ rate: Double, at time: Int64, longestGap: Int64) {
    if let lastTime, time > lastTime, time - lastTime <= longestGap {
      let elapsed = Double(time - lastTime) / 1e9
      total += (rate + lastRate) / 2 * elapsed
      seconds += elapsed
    }
    lastRate = rate
    lastTime = time
  }

  /// Adds a later integral and continues from its last reading.
  mutating func add(_ later: RateIntegral) {
    total += later.total
    seconds += later.seconds
    lastRate = later.lastRate
    lastTime = later.lastTime
  }

  /// Starts a gap: the interval to the next reading does not count.
  mutating func interrupt() { lastTime = nil }
}
