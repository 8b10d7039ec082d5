import Glibc
import Synchronization

/// Ends a running simulator from another thread or from a signal handler.
public final class StopSignal: Sendable {
  private let reading: Int32
  private let writing: Int32

  /// - Throws: where the process has no descriptor left.
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

  /// The simulator ends within one turn of its loop. Safe in a signal handler.
  public func stop() { StopSignal.wake(writing) }

  /// Readable once ``stop()`` was called.
  var descriptor: Int32 { reading }

  /// SIGTERM, SIGINT and SIGHUP call ``stop()``; the signal object must live until the program ends.
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

/// A signal handler has no other place to find it.
private let handlerDescriptor = Atomic<Int32>(-1)
