/// Detects harsh braking and acceleration from speed readings. The readings are in whole km/h, and arrive one to ten
/// times a second. For example, at 1 Hz:
///
/// 50 50 46 38 31 25 25     from 46 to 31 km/h in 2 s: 2.1 m/s² on average
///
/// A change of speed counts only if rounding and delays cannot explain it:
/// - A speed is rounded down to whole km/h, and its transmission takes time. For each pair of readings, the smallest
///   acceleration is used that could have caused both readings. The readings of a pair are at least 0.9 s apart, so
///   that a rounding error of 1 km/h does not look like a jump.
/// - An ECU may update its speed only once a second. If it is read more often, the same value is read several times,
///   and then the speed jumps. After such jumps were detected, a repeated value is treated as measured when it was
///   first read.
/// - A physically impossible change is treated as a wrong reading until the next reading confirms it. A change that is
///   reversed immediately is treated in the same way.
struct HarshMotion: BitwiseCopyable {
  /// A harsh manoeuvre: the pair of readings with the largest acceleration so far.
  struct Peak: BitwiseCopyable, Equatable {
    /// Acceleration, m/s²; negative for braking.
    var acceleration: Double
    /// Speed of the first reading, km/h.
    var fromSpeed: Double
    /// Speed of the second reading, km/h.
    var toSpeed: Double
    /// Time between the two readings, s.
    var seconds: Double
    /// The smallest acceleration that could have caused both readings, m/s²; always positive.
    var least: Double
    /// Time of the latest reading that belongs to the manoeuvre, ns.
    var end: Int64
  }

  private struct Sample: BitwiseCopyable {
    var speed = 0.0
    var time: Int64 = .min
    /// Time of the first reading in the current series of equal speeds, ns.
    var since: Int64 = .min
  }

  private static let capacity = 32
  /// Minimum time between the two readings of a pair, ns.
  private static let leastSpan: Int64 = 900_000_000
  /// Maximum time between the two readings of a pair, ns.
  private static let mostSpan: Int64 = 3_200_000_000
  /// Minimum time between two stored samples, ns. If all readings were stored, the samples would cover too short a
  /// time.
  private static let spacing: Int64 = 80_000_000
  /// Maximum error that rounding can cause in a change of speed, km/h.
  private static let rounding = 1.0
  /// Maximum delay between the measurement of a speed and its reception, s.
  private static let lateness = 0.1
  /// If the time between two readings is longer than this, the ECU's update interval cannot be recognized from them,
  /// ns.
  private static let closeSpacing: Int64 = 500_000_000
  /// Longest time that can be the update interval of an ECU's speed, ns.
  private static let slowestRenewal: Int64 = 1_000_000_000
  /// Largest deceleration that is physically possible, m/s².
  private static let greatestBraking = 12.0
  /// Largest acceleration that is physically possible, m/s².
  private static let greatestAcceleration = 8.0
  /// Time for which a manoeuvre is withheld before it is returned, ns. If the change of speed is reversed in this time,
  /// it was not a manoeuvre.
  private static let settling: Int64 = 1_500_000_000
  /// Maximum duration of a manoeuvre that may be caused by a single wrong reading, s.
  private static let briefSeconds = 1.5

  private var samples = InlineArray<32, Sample>(repeating: Sample())
  private var next = 0
  private var count = 0
  private var peak: Peak?
  /// The last reading, if it was physically impossible; otherwise `nil`. The next reading may confirm it.
  private var doubted: Sample?
  /// The longest observed time between two updates of the speed in this vehicle's ECU, ns.
  private var renewal: Int64 = 0

  /// Adds a reading of the vehicle speed, km/h.
  ///
  /// - Returns: a manoeuvre that is over; `nil` if there is none.
  mutating func speed(_ kmh: Double, at time: Int64, _ options: DrivingOptions) -> Peak? {
    guard count > 0 else {
      append(Sample(speed: kmh, time: time, since: time))
      return nil
    }
    let newest = samples[(next + Self.capacity - 1) % Self.capacity]
    guard time - newest.time >= Self.spacing else { return nil }
    var sample = Sample(speed: kmh, time: time, since: time)
    var over: Peak?
    if time - newest.time > Self.mostSpan {
      over = finish()
    } else if !Self.isPossible(from: newest, to: sample) {
      guard let doubted, Self.isPossible(from: doubted, to: sample) else {
        self.doubted = sample
        return nil
      }
      // This reading confirms the doubted one.
      over = finish()
      append(doubted)
    } else {
      if kmh == newest.speed { sample.since = newest.since }
      recordRenewal(newest, sample)
      over = weigh(sample, options)
    }
    doubted = nil
    append(sample)
    return over
  }

  /// Returns the manoeuvre in progress (`nil` if none), and resets the state. Call this if no reading follows soon
  /// enough.
  mutating func finish() -> Peak? {
    defer {
      peak = nil
      count = 0
      doubted = nil
    }
    return peak
  }

  /// Whether a car can physically change from one speed to the other in the time between the samples.
  private static func isPossible(from old: Sample, to new: Sample) -> Bool {
    let span = new.time - old.time
    let seconds = Double(span <= closeSpacing ? span + slowestRenewal : span) / 1e9
    let change = new.speed - old.speed
    let least = (abs(change) - rounding) / 3.6 / (seconds + lateness)
    return least <= (change < 0 ? greatestBraking : greatestAcceleration)
  }

  /// Measures the ECU's update interval from a jump that follows several equal readings. The readings were equal
  /// because the ECU had not updated its speed.
  private mutating func recordRenewal(_ old: Sample, _ new: Sample) {
    let span = new.time - old.time
    guard span <= Self.closeSpacing, abs(new.speed - old.speed) >= 2, old.time - old.since >= span else { return }
    renewal = max(renewal, min(new.time - old.since, Self.slowestRenewal))
  }

  /// Compares a reading with the earlier ones.
  ///
  /// - Returns: a manoeuvre that is over; `nil` if there is none.
  private mutating func weigh(_ sample: Sample, _ options: DrivingOptions) -> Peak? {
    guard let found = search(sample, options) else {
      guard let peak, sample.time - peak.end >= Self.settling else { return nil }
      self.peak = nil
      return peak
    }
    guard let peak else {
      self.peak = found
      return nil
    }
    if peak.acceleration * found.acceleration > 0 {
      self.peak = found.least > peak.least ? found : peak
      self.peak?.end = sample.time
      return nil
    }
    // If the change is reversed immediately, it was caused by a single wrong reading.
    if peak.seconds <= Self.briefSeconds, sample.time - peak.end <= Self.settling {
      self.peak = nil
      count = 0
      return nil
    }
    self.peak = found
    return peak
  }

  /// Of the pairs of readings that end with `new`, returns the one with the largest ``Peak/least``; `nil` if no pair
  /// reaches the threshold.
  private mutating func search(_ new: Sample, _ options: DrivingOptions) -> Peak? {
    var best: Peak?
    for back in 0..<count {
      let old = samples[(next + 2 * Self.capacity - 1 - back) % Self.capacity]
      let span = new.time - old.time
      if span > Self.mostSpan { break }
      guard span >= Self.leastSpan else { continue }
      // Skip pairs whose change of speed is too small to reach the threshold, whatever the time between them. Nearly
      // all pairs are skipped here.
      let change = new.speed - old.speed
      guard let threshold = change < 0 ? options.harshBraking : options.harshAcceleration,
        abs(change) > Self.rounding + 3.6 * threshold * Double(Self.leastSpan) / 1e9
      else { continue }
      let seconds = Double(span) / 1e9
      let staleness = Double(min(old.time - old.since, renewal)) / 1e9
      let least = (abs(change) - Self.rounding) / 3.6 / (seconds + staleness + Self.lateness)
      guard least >= threshold, least > best?.least ?? 0 else { continue }
      best = Peak(
        acceleration: change / 3.6 / seconds, fromSpeed: old.speed, toSpeed: new.speed, seconds: seconds,
        least: least, end: new.time)
    }
    return best
  }

  private mutating func append(_ sample: Sample) {
    samples[next] = sample
    next = (next + 1) % Self.capacity
    count = min(count + 1, Self.capacity)
  }
}
