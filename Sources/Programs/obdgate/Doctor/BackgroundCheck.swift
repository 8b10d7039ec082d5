import Gateway
import Ports
import Synchronization

/// Work in a thread of its own, waited for no longer than one likes: what hangs in a system call holds nobody up.
final class Errand<Value: Sendable>: Sendable {
  private let result = Mutex<Value?>(nil)
  private let bell: WakeUp

  /// Begins it.
  ///
  /// - Throws: where the process has no more threads or descriptors.
  init(_ work: @escaping @Sendable () -> Value) throws(Failure) {
    do throws(PortError) {
      bell = try WakeUp()
    } catch {
      throw Failure(.unavailable, error.description)
    }
    do throws(StartError) {
      _ = try Thread("obdgate-errand", isDetached: true) { [self] in
        let value = work()
        result.withLock { $0 = value }
        bell.signal()
      }
    } catch {
      throw Failure(.unavailable, error.description)
    }
  }

  /// What came of it; nil: not done by that moment of ``Ports/BootClock``.
  func value(until deadline: Int64) -> Value? {
    _ = bell.wait(until: deadline)
    return result.withLock { $0 }
  }
}
