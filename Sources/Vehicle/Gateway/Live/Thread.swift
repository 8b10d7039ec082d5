import CGateway
import Glibc
import Ports

/// A thread with a name, joined when it is over.
public final class Thread: Sendable {
  private let number: pthread_t

  /// - Parameters:
  ///   - isDetached: nobody will wait for its end.
  ///   - name: as `top -H` shows it, at most 15 characters.
  ///   - body: runs once.
  /// - Throws: where the process may have no more threads.
  public init(_ name: String, isDetached: Bool = false, _ body: sending @escaping () -> Void) throws(StartError) {
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
      throw StartError(.unavailable, "no thread for \(name): \(systemReason(code))")
    }
    if isDetached { pthread_detach(thread) }
    number = thread
  }

  /// Waits for its end; once, and only for one that is not detached.
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
