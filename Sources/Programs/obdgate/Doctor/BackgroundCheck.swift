import Failures
import Gateway
import Ports
import Synchronization

/// A function that runs in a separate thread, so that the caller can stop waiting for it if a system call hangs.
final class BackgroundCheck<Value: Sendable>: Sendable {
  private let result = Mutex<Value?>(nil)
  private let wakeUp: WakeUp

  /// Starts the function.
  ///
  /// - Throws: an error if the process has no more threads or descriptors.
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

  /// Returns the result; `nil` if there is none before a time of ``Ports/BootClock``.
  func value(until deadline: Int64) -> Value? {
    _ = wakeUp.wait(until: deadline)
    return result.withLock { $0 }
  }
}
