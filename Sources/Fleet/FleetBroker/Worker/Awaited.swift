import Synchronization

/// What a task will have done, for a thread that does not wait for it: a bell rings once it is there.
final class Awaited<Value: Sendable, Failure: Error>: Sendable {
  private let result = Mutex<Result<Value, Failure>?>(nil)

  init(_ bell: Bell, _ work: @escaping @Sendable () async throws(Failure) -> Value) {
    Task.detached {
      let result: Result<Value, Failure>
      do throws(Failure) {
        result = .success(try await work())
      } catch {
        result = .failure(error)
      }
      self.result.withLock { $0 = result }
      bell.ring()
    }
  }

  /// Nil: not yet.
  var value: Result<Value, Failure>? { result.withLock { $0 } }
}
