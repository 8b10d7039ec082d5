import Synchronization

/// A value that is computed at most once in a period, even if many tasks need it.
final class RecentValue<Value: Sendable>: Sendable {
  private let period: Duration
  private let ask: @Sendable () async throws -> Value
  private let last = Mutex<(time: ContinuousClock.Instant, answer: Task<Value, any Error>)?>(nil)

  /// Creates a value that is not computed yet.
  ///
  /// - Parameters:
  ///   - period: the time for which a value or an error is reused.
  ///   - ask: computes the value.
  init(for period: Duration, _ ask: @escaping @Sendable () async throws -> Value) {
    self.period = period
    self.ask = ask
  }

  /// The value, at most one period old.
  ///
  /// - Throws: the error of the last computation.
  var value: Value {
    get async throws {
      let now = ContinuousClock.now
      let answer = last.withLock { last in
        if let last, last.time.duration(to: now) < period { return last.answer }
        let answer = Task { [ask] in try await ask() }
        last = (now, answer)
        return answer
      }
      return try await answer.value
    }
  }
}
