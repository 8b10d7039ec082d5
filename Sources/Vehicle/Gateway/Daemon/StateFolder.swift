import Failures
import GatewayOutput
import Glibc

/// Creates the state directory and the folders above it.
enum StateFolder {
  /// Creates the folder so that the daemon's user and group may use it.
  ///
  /// If the disk is full or read-only, that is logged and is no error: the daemon then keeps its state in memory.
  ///
  /// - Throws: ``Failure`` with the reason.
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

  /// Returns the folders above a path, the highest first.
  private static func parents(of path: String) -> [String] {
    path.indices.dropFirst().filter { path[$0] == "/" }.map { String(path[..<$0]) }
  }
}
