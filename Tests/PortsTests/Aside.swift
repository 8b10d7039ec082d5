import Foundation
import Synchronization

/// Work on a separate thread that can be awaited.
final class Aside: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private let isOver = Atomic(false)
  private let isToStop = Atomic(false)

  convenience init(_ work: @escaping @Sendable () -> Void) { self.init { _ in work() } }

  /// - Parameter work: its parameter returns whether to continue; `false` after ``stop()``.
  init(_ work: @escaping @Sendable (_ goesOn: () -> Bool) -> Void) {
    Thread.detachNewThread {
      work { !self.isToStop.load(ordering: .acquiring) }
      self.isOver.store(true, ordering: .releasing)
      self.done.signal()
    }
  }

  /// True once the work has ended.
  var hasEnded: Bool { isOver.load(ordering: .acquiring) }

  /// Requests the end of the work.
  func stop() { isToStop.store(true, ordering: .releasing) }

  /// Waits for the end of the work; `false` if it does not end within a minute.
  func ended() -> Bool { done.wait(timeout: .now() + 60) == .success }
}

/// A container for a noncopyable value, which several threads use one after another.
final class Held<Value: ~Copyable>: @unchecked Sendable {
  var value: Value

  init(_ value: consuming Value) { self.value = value }
}
