import Synchronization

/// Waits until all event loops have delivered an update to their connections, or until the waiting task is cancelled.
final class Deliveries: Sendable {
  private struct State {
    var missing: Int
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state: Mutex<State>

  /// Creates an object that waits for the event loops of the server.
  ///
  /// - Parameter count: the number of event loops.
  init(_ count: Int) { state = Mutex(State(missing: count)) }

  /// Counts one event loop that has delivered the update to its connections.
  func finish() { end { $0.missing -= 1 } }

  /// Waits until all event loops have delivered the update, or until the task is cancelled.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.missing > 0 { state.waiter = continuation }
          return state.missing <= 0
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      end { $0.missing = 0 }
    }
  }

  private func end(_ change: (inout State) -> Void) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      change(&state)
      guard state.missing <= 0 else { return nil }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }
}
