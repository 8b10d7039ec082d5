import Synchronization

/// The result of a task, for a thread that must not block. When the result is available, a wake-up informs the thread.
final class Awaited<Value: Sendable, Failure: Error>: Sendable {
  private let result = Mutex<Result<Value, Failure>?>(nil)

  init(_ wakeUp: WakeUpPipe, _ work: @escaping @Sendable () async throws(Failure) -> Value) {
    Task.detached {
      let result: Result<Value, Failure>
      do throws(Failure) {
        result = .success(try await work())
      } catch {
        result = .failure(error)
      }
      self.result.withLock { $0 = result }
      wakeUp.wake()
    }
  }

  /// The result; `nil` if it is not available yet.
  var value: Result<Value, Failure>? { result.withLock { $0 } }
}
