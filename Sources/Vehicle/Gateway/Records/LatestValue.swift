import Ports
import Synchronization

/// The newest of something that another thread writes to disk.
final class LatestValue<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let wakeUp: WakeUp

  init(wakeUp: WakeUp) { self.wakeUp = wakeUp }

  func put(_ new: Value) {
    value.withLock { $0 = new }
    wakeUp.signal()
  }

  /// What has come since this was asked last.
  func take() -> Value? {
    value.withLock { value in
      defer { value = nil }
      return value
    }
  }
}
