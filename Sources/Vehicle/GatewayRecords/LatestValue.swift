import Ports
import Synchronization

/// The latest value that another thread has to write to disk.
final class LatestValue<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let wakeUp: WakeUp

  init(wakeUp: WakeUp) { self.wakeUp = wakeUp }

  func put(_ new: Value) {
    value.withLock { $0 = new }
    wakeUp.signal()
  }

  /// Removes and returns the value set since the last call; `nil` if there is none.
  func take() -> Value? {
    value.withLock { value in
      defer { value = nil }
      return value
    }
  }
}
