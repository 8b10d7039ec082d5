import Glibc
import Synchronization

/// Ends the simulator. Another thread or a signal handler uses it.
public final class StopSignal: Sendable {
  private let reading: Int32
  private let writing: Int32

  /// Creates a signal that is not set.
  ///
  /// - Throws: ``SimulatorError`` if the process has no file descriptors left.
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

  /// Ends the simulator. A signal handler may call it.
  public func stop() { StopSignal.wake(writing) }

  /// A file descriptor that is readable after ``stop()`` was called.
  var descriptor: Int32 { reading }

  /// Installs handlers of SIGTERM, SIGINT and SIGHUP that call ``stop()``. This object must exist until the program
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

/// The descriptor to which the signal handler writes. It is global, because a signal handler can use only globals.
private let handlerDescriptor = Atomic<Int32>(-1)
