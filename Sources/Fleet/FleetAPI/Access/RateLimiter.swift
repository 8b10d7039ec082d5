import Synchronization

/// Limits the rate of requests with a token bucket for each key: `burst` requests without a pause, and then `perSecond`
/// requests in each second.
final class RateLimiter<Key: Hashable & Sendable>: Sendable {
  private struct Bucket {
    var tokens: Double
    var time: ContinuousClock.Instant
  }

  /// The buckets of the keys that were used last. Clients choose some of the keys, so the number of keys must have a
  /// limit.
  private struct Buckets {
    var recent: [Key: Bucket] = [:]
    /// The previous content of `recent`. It is discarded when `recent` is full the next time.
    var older: [Key: Bucket] = [:]

    mutating func remove(_ key: Key) -> Bucket? { recent.removeValue(forKey: key) ?? older.removeValue(forKey: key) }

    mutating func store(_ bucket: Bucket, _ key: Key) {
      if recent.count >= RateLimiter.capacity / 2 { (older, recent) = (recent, [:]) }
      recent[key] = bucket
    }
  }

  /// The maximum number of keys whose buckets are stored. A bucket is discarded only after at least `capacity / 2`
  /// other keys were used. A key without a stored bucket has a full bucket.
  static var capacity: Int { 100_000 }

  private let perSecond: Double
  private let burst: Double
  private let buckets = Mutex(Buckets())

  /// Creates a limiter.
  ///
  /// - Parameters:
  ///   - perSecond: the sustained rate, in requests per second; above 0.
  ///   - burst: the maximum number of requests without a pause; at least 1.
  init(perSecond: Double, burst: Double) {
    self.perSecond = perSecond
    self.burst = burst
  }

  /// Removes a token from a key's bucket.
  ///
  /// - Returns: `nil` if the bucket contained a token; otherwise the time until it contains one, in whole seconds.
  func consume(_ key: Key, now: ContinuousClock.Instant = .now) -> Int? {
    buckets.withLock { buckets in
      var bucket = buckets.remove(key) ?? Bucket(tokens: burst, time: now)
      bucket.tokens = tokens(of: bucket, now)
      bucket.time = now
      let isAllowed = bucket.tokens >= 1
      if isAllowed { bucket.tokens -= 1 }
      buckets.store(bucket, key)
      return isAllowed ? nil : max(1, Int(((1 - bucket.tokens) / perSecond).rounded(.up)))
    }
  }

  /// Puts a token back into a key's bucket, because the request for which ``consume(_:now:)`` removed it does not
  /// count.
  func refund(_ key: Key) {
    buckets.withLock { buckets in
      guard var bucket = buckets.remove(key) else { return }
      bucket.tokens = min(burst, bucket.tokens + 1)
      buckets.store(bucket, key)
    }
  }

  private func tokens(of bucket: Bucket, _ now: ContinuousClock.Instant) -> Double {
    min(burst, bucket.tokens + bucket.time.duration(to: now) / .seconds(1) * perSecond)
  }

  /// The number of keys whose buckets are stored.
  var count: Int { buckets.withLock { $0.recent.count + $0.older.count } }
}
