import CPostgres
import Dispatch
import Glibc

/// Ends what one thread waits for on a connection, from another thread.
@safe
final class PostgreSQLInterruption: @unchecked Sendable {
  /// What the server needs to know to stop a statement; libpq lets any thread use it.
  private let cancel: OpaquePointer?
  /// The connection's socket under a number of its own: libpq closes its own when it likes, and the number may then be
  /// somebody else's.
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

  /// Cuts the connection, so that nobody waits for a server that does not answer, and asks the server to stop the
  /// statement, which otherwise goes on without us.
  func run() {
    if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
    // That is a connection of its own, and may take as long as any.
    DispatchQueue.global().async {
      guard let cancel = unsafe self.cancel else { return }
      var words = [CChar](repeating: 0, count: 256)
      // Where it cannot be asked, the server finds out by itself that nobody listens any more.
      _ = unsafe PQcancel(cancel, &words, Int32(words.count))
    }
  }
}
