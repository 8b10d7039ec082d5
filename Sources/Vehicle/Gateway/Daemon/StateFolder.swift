import Failures
import GatewayOutput
import Glibc

/// Creates the state directory and the folders above it.
enum StateFolder {
  /// Creates the folder with permissions for the daemon's user and group. Does nothing if the folder exists.
  ///
  /// A full or read-only disk is logged, and is not an error: the daemon then keeps its state in memory.
  ///
  /// - Throws: ``Failure`` if the path is a file, or if the folder cannot be created for another reason.
  static func make(_ folder: String) throws(Failure) {
    var status = stat()
    if unsafe stat(folder, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else {
        throw Failure(.badConfiguration, "stateDirectory: \(folder): a file, expected a folder")
      }
      return
    }
    for path in parents(of: folder) + [folder] where unsafe mkdir(path, path == folder ? 0o750 : 0o755) != 0 {
      let code = errno
      if code == EEXIST { continue }
      let reason = "stateDirectory: \(path): cannot be made: \(systemReason(code))"
      guard code == EROFS || code == ENOSPC || code == EDQUOT else {
        throw Failure(.unreadable, reason + "; make it for the daemon's user, or name another folder")
      }
      return Log.write(reason + "; nothing is kept over a restart", .warning)
    }
  }

  /// Locks the folder, so that only one daemon uses it. The kernel releases the lock when the process ends.
  ///
  /// Another daemon may be ending. Therefore, this function waits for the lock for up to three seconds.
  ///
  /// - Throws: ``Failure`` if another daemon has the lock.
  static func claim(_ folder: String) throws(Failure) {
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // If the folder could not be created, the reason was already logged.
    guard descriptor >= 0 else { return }
    var tries = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      // If the file system does not support locks, the folder is used without a lock.
      guard errno == EWOULDBLOCK || errno == EINTR else { break }
      guard tries < 30 else {
        close(descriptor)
        throw Failure(
          .unavailable, "stateDirectory: \(folder): another obdgated uses it; stop that one, or name another folder")
      }
      tries += 1
      _ = poll(nil, 0, 100)
    }
  }

  /// Returns the folders above a path, beginning with the highest one.
  private static func parents(of path: String) -> [String] {
    path.indices.dropFirst().filter { path[$0] == "/" }.map { String(path[..<$0]) }
  }
}
