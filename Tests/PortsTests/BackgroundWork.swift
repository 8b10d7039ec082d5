import Foundation
import Synchronization

/// Work on a separate thread. A test can wait for its end.
final class BackgroundWork: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private let isOver = Atomic(false)
  private let isToStop = Atomic(false)

  convenience init(_ work: @escaping @Sendable () -> Void) { self.init { _ in work() } }

  /// Starts the work.
  ///
  /// - Parameter work: its parameter returns whether the work may continue; `false` after ``stop()``.
  init(_ work: @escaping @Sendable (_ goesOn: () -> Bool) -> Void) {
    Thread.detachNewThread {
      work { !self.isToStop.load(ordering: .acquiring) }
      self.isOver.store(true, ordering: .releasing)
      self.done.signal()
    }
  }

  /// Whether the work has ended.
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
