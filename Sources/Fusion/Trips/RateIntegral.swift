/// The area under the readings of a rate, by trapezoids on the times of the readings.
struct RateIntegral: BitwiseCopyable, Equatable {
  /// Unit of the rate times seconds.
  private(set) var total = 0.0
  /// How much time it covers, s.
  private(set) var seconds = 0.0
  private var lastRate = 0.0
  private var lastTime: Int64?

  init() {}

  /// One that goes on from earlier, with a gap.
  init(total: Double, seconds: Double) {
    self.total = total
    self.seconds = seconds
  }

  /// Takes a reading. The time since the one before counts unless it is longer than `longestGap`.
  mutating func add(_ rate: Double, at time: Int64, longestGap: Int64) {
    if let lastTime, time > lastTime, time - lastTime <= longestGap {
      let elapsed = Double(time - lastTime) / 1e9
      total += (rate + lastRate) / 2 * elapsed
      seconds += elapsed
    }
    lastRate = rate
    lastTime = time
  }

  /// Adds another's area, and goes on where that one stands.
  mutating func add(_ later: RateIntegral) {
    total += later.total
    seconds += later.seconds
    lastRate = later.lastRate
    lastTime = later.lastTime
  }

  /// What comes next does not hang together with what was.
  mutating func breakOff() { lastTime = nil }
}
