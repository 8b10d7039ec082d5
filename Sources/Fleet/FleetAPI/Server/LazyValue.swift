import Synchronization

/// A value that is made when it is used for the first time.
final class LazyValue<Value: Sendable>: Sendable {
  private enum State {
    case described(@Sendable () -> Value)
    case made(Value)
  }

  private let state: Mutex<State>

  init(_ make: @escaping @Sendable () -> Value) { state = Mutex(.described(make)) }

  /// The value. Calls at the same time wait until the first of them has made it.
  var value: Value {
    state.withLock { state in
      switch state {
      case .made(let value): return value
      case .described(let make):
        let value = make()
        state = .made(value)
        return value
      }
    }
  }
}
