import Ports
import Synchronization

/// The newest of something that another thread writes to disk.
final class Kept<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let bell: WakeUp

  init(bell: WakeUp) { self.bell = bell }

  func put(_ new: Value) {
    value.withLock { $0 = new }
    bell.signal()
  }

  /// What has come since this was asked last.
  func take() -> Value? {
    value.withLock { value in
      defer { value = nil }
      return value
    }
  }
}
