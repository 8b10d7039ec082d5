import CPostgres
import Dispatch
import Glibc

/// Interrupts a call on a connection from another thread.
@safe
final class PostgreSQLInterruption: @unchecked Sendable {
  /// The handle with which libpq cancels a statement. Any thread may use it.
  private let cancel: OpaquePointer?
  /// A duplicate of the connection's socket descriptor. libpq may close its own descriptor at any time; the number of
  /// that descriptor may then refer to another file.
  private let socket: Int32

  @unsafe init(of handle: OpaquePointer) {
    unsafe cancel = PQgetCancel(handle)
    let descriptor = unsafe PQsocket(handle)
    socket = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
  }

  deinit {
    unsafe PQfreeCancel(cancel)
    if socket >= 0 { close(socket) }
  }

  /// Shuts the connection down, so that no call waits for a server that does not answer. Also asks the server to cancel
  /// the current statement, which would otherwise continue.
  func run() {
    if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
    // The request to cancel opens another connection, which may take a long time.
    DispatchQueue.global().async {
      guard let cancel = unsafe self.cancel else { return }
      var words = [CChar](repeating: 0, count: 256)
      // If the request fails, the server detects the closed connection itself.
      _ = unsafe PQcancel(cancel, &words, Int32(words.count))
    }
  }
}
