import CGateway
import Failures
import Glibc

/// A thread with a name. Another thread can wait for its end.
public final class Thread: Sendable {
  private let number: pthread_t

  /// Starts a thread.
  ///
  /// - Parameters:
  ///   - name: the name of the thread in `top -H`, at most 15 characters.
  ///   - isDetached: whether the thread is detached. ``join()`` must not be called for a detached thread.
  ///   - body: the function that runs in the thread.
  /// - Throws: ``Failure`` if the process cannot create another thread.
  public init(_ name: String, isDetached: Bool = false, _ body: sending @escaping () -> Void) throws(Failure) {
    let box = unsafe Unmanaged.passRetained(Body(name: name, run: body))
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { argument in
        let body = unsafe Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
        unsafe cgateway_name_thread(body.name)
        body.run()
        return nil
      }, unsafe box.toOpaque())
    guard code == 0 else {
      unsafe box.release()
      throw Failure(.unavailable, "no thread for \(name): \(systemReason(code))")
    }
    if isDetached { pthread_detach(thread) }
    number = thread
  }

  /// Waits for the end of the thread. Call this once; do not call it for a detached thread.
  public func join() { pthread_join(number, nil) }

  private final class Body {
    let name: String
    let run: () -> Void

    init(name: String, run: @escaping () -> Void) {
      self.name = name
      self.run = run
    }
  }
}
