/// Finds harsh braking and acceleration in readings of a speed that comes in whole km/h, once in a tenth of a second or
/// once a second.
///
///     50 50 46 38 31 25 25     at 1 Hz: 46 → 38 → 31 is 8 and 7 km/h in a second, 2.1 m/s²
///
/// Two readings prove a change only beyond what rounding and late answers may have added:
/// - A speed is cut to 1 km/h, and a little time passes between ECU and answer. So of each pair the least acceleration
///   that it allows counts, and its readings are nearly a second apart, lest one step look like a leap.
/// - An ECU that renews its speed once a second, read more often, stands still and leaps. Where that was seen, what a
///   reading repeats is as old as its first appearance.
/// - What no car can do is a wrong reading, until the next one says the same; and so is a change that is taken back at
///   once.
struct HarshMotion: BitwiseCopyable {
  /// A proven one, on its way or over.
  struct Peak: BitwiseCopyable, Equatable {
    /// m/s², with its sign.
    var acceleration: Double
    var fromSpeed: Double
    var toSpeed: Double
    /// s between the two readings.
    var seconds: Double
    /// The least acceleration that the pair allows, m/s², positive.
    var least: Double
    var end: Int64
  }

  private struct Sample: BitwiseCopyable {
    var speed = 0.0
    var time: Int64 = .min
    /// When the readings began to say this speed.
    var since: Int64 = .min
  }

  private static let capacity = 32
  /// A pair of readings is so far apart, ns.
  private static let leastSpan: Int64 = 900_000_000
  private static let mostSpan: Int64 = 3_200_000_000
  /// Readings closer than this add nothing, ns: so the samples reach far enough back.
  private static let spacing: Int64 = 80_000_000
  /// What rounding may add to a change, km/h.
  private static let rounding = 1.0
  /// By so much may the span between two values have been longer than that between their answers, s.
  private static let lateness = 0.1
  /// Readings that follow each other so closely show whether the ECU renews its speed more slowly, ns.
  private static let closeSpacing: Int64 = 500_000_000
  /// No ECU renews its speed more slowly, ns.
  private static let slowestRenewal: Int64 = 1_000_000_000
  /// m/s² past which a car neither brakes nor, the second, accelerates.
  private static let greatestBraking = 12.0
  private static let greatestAcceleration = 8.0
  /// So long after a manoeuvre it is told, ns: until then it may be taken back.
  private static let settling: Int64 = 1_500_000_000
  /// One wrong reading looks like a manoeuvre of at most so many s.
  private static let briefSeconds = 1.5

  private var samples = InlineArray<32, Sample>(repeating: Sample())
  private var next = 0
  private var count = 0
  private var peak: Peak?
  /// A reading that no car can have come to.
  private var doubted: Sample?
  /// How slowly the ECU was seen to renew its speed, ns.
  private var renewal: Int64 = 0

  /// Takes a reading.
  ///
  /// - Returns: a manoeuvre that is over.
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
      // It was no slip.
      over = finish()
      append(doubted)
    } else {
      if kmh == newest.speed { sample.since = newest.since }
      noteRenewal(newest, sample)
      over = weigh(sample, options)
    }
    doubted = nil
    append(sample)
    return over
  }

  /// What is on its way, when no reading follows.
  mutating func finish() -> Peak? {
    defer {
      peak = nil
      count = 0
      doubted = nil
    }
    return peak
  }

  /// Whether a car can have come from one speed to the other.
  private static func isPossible(from old: Sample, to new: Sample) -> Bool {
    let span = new.time - old.time
    let seconds = Double(span <= closeSpacing ? span + slowestRenewal : span) / 1e9
    let change = new.speed - old.speed
    let least = (abs(change) - rounding) / 3.6 / (seconds + lateness)
    return least <= (change < 0 ? greatestBraking : greatestAcceleration)
  }

  /// A leap out of rest, read closely: the rest was the ECU's, not the car's.
  private mutating func noteRenewal(_ old: Sample, _ new: Sample) {
    let span = new.time - old.time
    guard span <= Self.closeSpacing, abs(new.speed - old.speed) >= 2, old.time - old.since >= span else { return }
    renewal = max(renewal, min(new.time - old.since, Self.slowestRenewal))
  }

  /// - Returns: a manoeuvre that is over.
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
    // Taken back at once: the reading between was wrong.
    if peak.seconds <= Self.briefSeconds, sample.time - peak.end <= Self.settling {
      self.peak = nil
      count = 0
      return nil
    }
    self.peak = found
    return peak
  }

  /// The pair with this reading that proves most; nil: none proves enough.
  private mutating func search(_ new: Sample, _ options: DrivingOptions) -> Peak? {
    var best: Peak?
    for back in 0..<count {
      let old = samples[(next + 2 * Self.capacity - 1 - back) % Self.capacity]
      let span = new.time - old.time
      if span > Self.mostSpan { break }
      guard span >= Self.leastSpan else { continue }
      // Nearly all pairs are too alike for any span.
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
