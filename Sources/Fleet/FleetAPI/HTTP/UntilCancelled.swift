import Synchronization

/// Waits for work that cannot be interrupted, such as a commit, until the work ends or the task is cancelled. After a
/// cancellation, the work continues in the background, but its result is discarded.
///
/// - Throws: `CancellationError` after a cancellation; errors of the work.
func untilCancelled<Value: Sendable>(
  _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let first = FirstAnswer<Value>()
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { continuation in
      first.wait(continuation)
      Task {
        do { first.answer(.success(try await work())) } catch { first.answer(.failure(error)) }
      }
    }
  } onCancel: {
    first.answer(.failure(CancellationError()))
  }
}

/// Resumes the waiting task with the result of the work or with the cancellation, whichever comes first.
private final class FirstAnswer<Value: Sendable>: Sendable {
  private enum State {
    case open
    case waiting(CheckedContinuation<Value, any Error>)
    case answered(Result<Value, any Error>)
    case over
  }

  private let state = Mutex(State.open)

  func wait(_ continuation: CheckedContinuation<Value, any Error>) {
    let early: Result<Value, any Error>? = state.withLock { state in
      if case .answered(let result) = state {
        state = .over
        return result
      }
      state = .waiting(continuation)
      return nil
    }
    if let early { continuation.resume(with: early) }
  }

  func answer(_ result: Result<Value, any Error>) {
    let waiting: CheckedContinuation<Value, any Error>? = state.withLock { state in
      switch state {
      case .open:
        state = .answered(result)
        return nil
      case .waiting(let continuation):
        state = .over
        return continuation
      case .answered, .over: return nil
      }
    }
    waiting?.resume(with: result)
  }
}
