import Synchronization

/// A limit of the rate of requests, with a token bucket for each key: `burst` requests at once, then `perSecond`.
final class RateLimiter<Key: Hashable & Sendable>: Sendable {
  private struct Bucket {
    var tokens: Double
    var time: ContinuousClock.Instant
  }

  /// The maximum number of keys whose buckets are stored. Full buckets are discarded first, because a missing bucket
  /// counts as full.
  private static var capacity: Int { 100_000 }

  private let perSecond: Double
  private let burst: Double
  private let buckets = Mutex<[Key: Bucket]>([:])

  /// Creates a limiter.
  ///
  /// - Parameters:
  ///   - perSecond: the sustained rate, in requests per second; above 0.
  ///   - burst: the number of requests that may arrive at once; at least 1.
  init(perSecond: Double, burst: Double) {
    self.perSecond = perSecond
    self.burst = burst
  }

  /// Removes a token from a key's bucket.
  ///
  /// - Returns: `nil` if there was a token; otherwise the time until there is one, in whole seconds.
  func consume(_ key: Key, now: ContinuousClock.Instant = .now) -> Int? {
    buckets.withLock { buckets in
      if buckets.count >= Self.capacity, buckets[key] == nil { forgetFull(&buckets, now) }
      var bucket = buckets[key] ?? Bucket(tokens: burst, time: now)
      bucket.tokens = tokens(of: bucket, now)
      bucket.time = now
      let isAllowed = bucket.tokens >= 1
      if isAllowed { bucket.tokens -= 1 }
      buckets[key] = bucket
      return isAllowed ? nil : max(1, Int(((1 - bucket.tokens) / perSecond).rounded(.up)))
    }
  }

  /// Returns the token that ``consume(_:now:)`` took to the bucket, because the request does not count.
  func refund(_ key: Key) {
    buckets.withLock { buckets in
      guard let tokens = buckets[key]?.tokens else { return }
      buckets[key]?.tokens = min(burst, tokens + 1)
    }
  }

  private func tokens(of bucket: Bucket, _ now: ContinuousClock.Instant) -> Double {
    min(burst, bucket.tokens + bucket.time.duration(to: now) / .seconds(1) * perSecond)
  }

  private func forgetFull(_ buckets: inout [Key: Bucket], _ now: ContinuousClock.Instant) {
    buckets = buckets.filter { tokens(of: $0.value, now) < burst }
  }
}
