import Foundation
import Synchronization

/// Work on a thread of its own, waited for.
final class Aside: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private let isOver = Atomic(false)
  private let isToStop = Atomic(false)

  convenience init(_ work: @escaping @Sendable () -> Void) { self.init { _ in work() } }

  /// - Parameter work: is given what says whether it is to go on, until ``stop()``.
  init(_ work: @escaping @Sendable (_ goesOn: () -> Bool) -> Void) {
    Thread.detachNewThread {
      work { !self.isToStop.load(ordering: .acquiring) }
      self.isOver.store(true, ordering: .releasing)
      self.done.signal()
    }
  }

  /// True once the work has ended.
  var hasEnded: Bool { isOver.load(ordering: .acquiring) }

  /// Asks the work to end.
  func stop() { isToStop.store(true, ordering: .releasing) }

  /// Waits for the end of the work; false where it does not within a minute.
  func ended() -> Bool { done.wait(timeout: .now() + 60) == .success }
}

/// A place for something that is not copied, where one thread after another finds it.
final class Held<Value: ~Copyable>: @unchecked Sendable {
  var value: Value

  init(_ value: consuming Value) { self.value = value }
}
