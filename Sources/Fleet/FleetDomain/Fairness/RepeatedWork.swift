/// Background work that is repeated until its task is cancelled.
///
///     await RepeatedWork.run(every: .seconds(10)) {
///       try await makeReports()
///     } onFailure: { error in
///       logger.warning("cannot make reports: \(error); trying again")
///     }
public enum RepeatedWork {
  /// Does the work, and repeats it after each pause.
  ///
  /// - Parameters:
  ///   - pause: the time between two rounds of the work.
  ///   - work: one round of the work. If it fails, it is repeated after the pause.
  ///   - onFailure: receives the first error after a round without an error, so that a failure that lasts is reported
  ///     only once. Errors are not reported after the task is cancelled.
  public static func run(
    every pause: Duration, _ work: () async throws -> Void, onFailure: (any Error) -> Void
  ) async {
    await runRounds(
      pause: pause,
      {
        try await work()
        return (false, nil)
      }, onFailure: onFailure)
  }

  /// Does work that is divided into rounds, and repeats it. A round that has left work is followed by the next one
  /// without a pause.
  ///
  /// - Parameters:
  ///   - pause: the time between two rounds if nothing is left, or if a round throws an error.
  ///   - round: one round of the work. Returns whether more work is left, and the last error that affected only a part
  ///     of the round.
  ///   - onFailure: receives errors, as in ``run(every:_:onFailure:)``.
  public static func runRounds(
    pause: Duration, _ round: () async throws -> (hasMore: Bool, failure: (any Error)?), onFailure: (any Error) -> Void
  ) async {
    var isFailing = false
    while !Task.isCancelled {
      let outcome: (hasMore: Bool, failure: (any Error)?)
      do {
        outcome = try await round()
      } catch {
        outcome = (false, error)
      }
      if let failure = outcome.failure, !isFailing, !Task.isCancelled { onFailure(failure) }
      isFailing = outcome.failure != nil
      if outcome.hasMore { continue }
      do {
        try await Task.sleep(for: pause)
      } catch {
        return
      }
    }
  }
}
