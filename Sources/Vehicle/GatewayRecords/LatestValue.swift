import Ports
import Synchronization

/// A value that one thread sets and another thread stores on the disk. A new value replaces an older one that was not
/// taken yet.
final class LatestValue<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let wakeUp: WakeUp

  init(wakeUp: WakeUp) { self.wakeUp = wakeUp }

  func put(_ new: Value) {
    value.withLock { $0 = new }
    wakeUp.signal()
  }

  /// Removes and returns the latest value that was set since the last call; `nil` if none was set.
  func pop() -> Value? {
    value.withLock { value in
      defer { value = nil }
      return value
    }
  }
}
