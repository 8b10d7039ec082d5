import Failures
import Gateway
import Ports
import Synchronization

/// Runs a function in a separate thread. The caller need not wait for the function if one of its system calls hangs.
final class BackgroundCheck<Value: Sendable>: Sendable {
  private let result = Mutex<Value?>(nil)
  private let wakeUp: WakeUp

  /// Starts the function.
  ///
  /// - Throws: an error if the process cannot create another thread or open another file descriptor.
  init(_ work: @escaping @Sendable () -> Value) throws(Failure) {
    do throws(PortError) {
      wakeUp = try WakeUp()
    } catch {
      throw Failure(.unavailable, error.description)
    }
    _ = try Thread("obdgate-check", isDetached: true) { [self] in
      let value = work()
      result.withLock { $0 = value }
      wakeUp.signal()
    }
  }

  /// Waits for the result until `deadline` (ns since boot), and returns it; `nil` if there is no result by then.
  func value(until deadline: Int64) -> Value? {
    _ = wakeUp.wait(until: deadline)
    return result.withLock { $0 }
  }
}
