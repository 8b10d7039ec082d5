import Synchronization

/// A value that is computed at most once in a period, even if many tasks need it.
final class RecentValue<Value: Sendable>: Sendable {
  private let period: Duration
  private let compute: @Sendable () async throws -> Value
  private struct Computation {
    let time: ContinuousClock.Instant
    let answer: Task<Value, any Error>
    var isDone = false
  }

  private let last = Mutex<Computation?>(nil)

  /// Creates a value that is not computed yet.
  ///
  /// - Parameters:
  ///   - period: the time for which a value or an error is reused, from the start of its computation.
  ///   - compute: computes the value.
  init(for period: Duration, _ compute: @escaping @Sendable () async throws -> Value) {
    self.period = period
    self.compute = compute
  }

  /// The value. The result of a computation that began less than `period` ago is reused. If a computation is still in
  /// progress, its result is awaited, even if it takes longer than `period`.
  ///
  /// - Throws: the error of the computation.
  var value: Value {
    get async throws {
      let now = ContinuousClock.now
      let answer = last.withLock { last in
        if let last, !last.isDone || last.time.duration(to: now) < period { return last.answer }
        let answer = Task { [self] in
          defer { self.last.withLock { $0?.isDone = true } }
          return try await compute()
        }
        last = Computation(time: now, answer: answer)
        return answer
      }
      return try await answer.value
    }
  }
}
