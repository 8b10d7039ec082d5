import Failures
import Gateway
import Ports
import Synchronization

/// Runs a function in a separate thread, so that the caller need not wait for it if a system call in it hangs.
final class BackgroundCheck<Value: Sendable>: Sendable {
  private let result = Mutex<Value?>(nil)
  private let wakeUp: WakeUp

  /// Starts the function.
  ///
  /// - Throws: an error if the process can have no more threads or file descriptors.
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

  /// Waits for the result until a time of ``Ports/BootClock``; `nil` if there is none by then.
  func value(until deadline: Int64) -> Value? {
    _ = wakeUp.wait(until: deadline)
    return result.withLock { $0 }
  }
}
