import Dispatch
import FleetDomain
import Synchronization

/// Processors for long work, such as parsing a file or checking a 3D model. They serve one tenant after another.
///
/// Each job has its own thread, but only a few threads run at the same time. The others wait. If a job has run for
/// ``slice`` and calls ``FleetDomain/WorkTurn/mayContinue``, the next tenant's job runs. Therefore a short job of one
/// tenant ends soon, even if another tenant has many long jobs.
///
/// The caller limits the number of jobs, because each needs a thread.
public final class FairTurns: Sendable {
  /// The reason why a job was stopped before its end.
  public enum Stop: Error, Equatable {
    /// The caller's task was cancelled, or nobody waits for the result.
    case cancelled
    /// The job has used a processor for longer than the limit.
    case tooLong
  }

  private struct State {
    /// The number of further jobs that may run now.
    var free: Int
    var waiting = FairQueue<TenantID?, SecretHash?, Work> { $0.cost }
  }

  /// The time after which a job lets other jobs run.
  let slice: Duration
  /// The maximum time for which one job may use a processor. Waiting does not count.
  let limit: Duration
  private let state: Mutex<State>

  /// - Parameters:
  ///   - count: the number of jobs that run at the same time; above 0.
  ///   - limit: the maximum time for which one job may use a processor.
  public init(_ count: Int, slice: Duration = .milliseconds(5), limit: Duration) {
    (self.slice, self.limit) = (slice, limit)
    state = Mutex(State(free: count))
  }

  /// Runs a job on a separate thread, in the turns of its caller.
  ///
  /// - Parameters:
  ///   - caller: the caller whose turns are used; `nil` for the server itself.
  ///   - isWanted: whether a caller still waits for the result. It is called before and during the job.
  /// - Throws: ``Stop`` if the job was stopped; errors of the job.
  public func run<Value: Sendable>(
    for caller: StorageCaller?, isWanted: @escaping @Sendable () -> Bool = { true },
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let turn = Work(caller, isWanted)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
        begin(turn) { [self] in
          let result: Result<Value, any Error>
          if turn.isStopped {
            result = .failure(Stop.cancelled)
          } else {
            let current = WorkTurn { [self] in pass(turn) }
            result = Result { try WorkTurn.$current.withValue(current) { try work() } }
          }
          end()
          continuation.resume(with: turn.stop.map { .failure($0) } ?? result)
        }
      }
    } onCancel: {
      turn.stop(.cancelled)
    }
  }

  // MARK: Turns

  private func begin(_ work: Work, _ body: @escaping @Sendable () -> Void) {
    work.prepare(body)
    let next = state.withLock { state -> Work? in
      state.waiting.add(work, group: work.caller?.tenant, member: work.caller?.key)
      guard state.free > 0 else { return nil }
      state.free -= 1
      return state.waiting.next()
    }
    next?.proceed()
  }

  /// Lets other jobs run if the current turn is over. Returns whether the job may continue.
  private func pass(_ work: Work) -> Bool {
    switch work.progress(slice: slice, limit: limit) {
    case .stopped: return false
    case .inTurn: return true
    case .overTurn: break
    }
    let next = state.withLock { state -> Work? in
      guard !state.waiting.isEmpty else { return nil }
      state.waiting.add(work, group: work.caller?.tenant, member: work.caller?.key)
      return state.waiting.next()
    }
    guard let next, next !== work else { return !work.isStopped }
    next.proceed()
    work.wait()
    return !work.isStopped
  }

  private func end() {
    let next = state.withLock { state -> Work? in
      let next = state.waiting.next()
      if next == nil { state.free += 1 }
      return next
    }
    next?.proceed()
  }
}

/// One job, and how long it has run.
private final class Work: Sendable {
  enum Progress { case inTurn, overTurn, stopped }

  private struct State {
    /// The closure that does the job; `nil` after it has begun.
    var body: (@Sendable () -> Void)?
    var turnStart = ContinuousClock.now
    /// The time that the previous turns have used.
    var used = Duration.zero
    /// The length of the last turn in ms, at least 1.
    var cost = 1
    var stop: FairTurns.Stop?
  }

  let caller: StorageCaller?
  private let isWanted: @Sendable () -> Bool
  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)

  init(_ caller: StorageCaller?, _ isWanted: @escaping @Sendable () -> Bool) {
    (self.caller, self.isWanted) = (caller, isWanted)
  }

  /// The cost of the job's next turn in the queue, which is the length of its last turn.
  var cost: Int { state.withLock(\.cost) }

  var stop: FairTurns.Stop? { state.withLock(\.stop) }

  /// Whether the job must end.
  var isStopped: Bool {
    if !isWanted() { stop(.cancelled) }
    return stop != nil
  }

  func stop(_ reason: FairTurns.Stop) { state.withLock { if $0.stop == nil { $0.stop = reason } } }

  func prepare(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.body = body } }

  /// Begins the job's next turn.
  func proceed() {
    let body = state.withLock { state in
      state.turnStart = .now
      return state.body.take()
    }
    guard let body else {
      wakeUp.signal()
      return
    }
    DispatchQueue(label: "turns").async(execute: body)
  }

  /// Blocks the thread until the job's next turn.
  func wait() { wakeUp.wait() }

  /// Returns whether the current turn is over. If so, counts its time.
  func progress(slice: Duration, limit: Duration) -> Progress {
    state.withLock { state in
      guard state.stop == nil else { return .stopped }
      let now = ContinuousClock.now
      let turn = now - state.turnStart
      guard state.used + turn <= limit else {
        state.stop = .tooLong
        return .stopped
      }
      guard turn >= slice else { return .inTurn }
      state.used += turn
      state.cost = max(Int(turn / .milliseconds(1)), 1)
      state.turnStart = now
      return .overTurn
    }
  }
}
