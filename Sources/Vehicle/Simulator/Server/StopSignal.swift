import Glibc
import Synchronization

/// A signal that ends the simulator. Another thread or a signal handler sends it.
public final class StopSignal: Sendable {
  private let reading: Int32
  private let writing: Int32

  /// Creates a signal that was not sent yet.
  ///
  /// - Throws: ``SimulatorError`` if the process cannot open another file descriptor.
  public init() throws(SimulatorError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw .system(.unavailable, "no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = ends[0]
    writing = ends[1]
    _ = fcntl(writing, F_SETFL, O_NONBLOCK)
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Sends the signal. A signal handler may call this function.
  public func stop() { StopSignal.wake(writing) }

  /// A file descriptor that becomes readable when ``stop()`` is called.
  var descriptor: Int32 { reading }

  /// Installs handlers of SIGTERM, SIGINT and SIGHUP that call ``stop()``. This object must exist until the process
  /// ends.
  public func catchTermination() {
    handlerDescriptor.store(writing, ordering: .releasing)
    for number in [SIGTERM, SIGINT, SIGHUP] {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = { _ in
        StopSignal.wake(handlerDescriptor.load(ordering: .acquiring))
      }
      unsafe sigaction(number, &action, nil)
    }
  }

  private static func wake(_ descriptor: Int32) {
    var byte: UInt8 = 1
    _ = unsafe write(descriptor, &byte, 1)
  }
}

/// The file descriptor to which the signal handlers write. It is global because a C signal handler cannot capture
/// variables.
private let handlerDescriptor = Atomic<Int32>(-1)
