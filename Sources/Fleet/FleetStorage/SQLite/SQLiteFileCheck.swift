import Failures
import FleetDomain
import Glibc

/// What a server would find if it opened a SQLite file. Nothing is changed.
public struct SQLiteFileCheck: Sendable {
  /// The reason why a server could not use the file; `nil` if it could.
  public let fault: String?
  /// Whether a server uses the file now.
  public let isServed: Bool
  /// The process of that server; `nil` if there is none, or if it is unknown.
  public let process: Int32?

  /// Checks a file, or the folder in which it would be made.
  public init(path: String) {
    fault = Self.fault(of: path)
    (isServed, process) = SQLiteServerFile.holder(of: path)
  }

  private static func fault(of path: String) -> String? {
    var status = stat()
    if unsafe stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else { return "\(path): expected a file" }
      guard unsafe access(path, R_OK | W_OK) == 0 else {
        return "\(path): cannot be read and written: \(systemReason(errno))"
      }
    } else if errno != ENOENT {
      return "\(path): \(systemReason(errno))"
    }
    // SQLite and the server make further files beside the database, also if it is named by a link.
    let file = SQLiteServerFile.real(path) ?? path
    let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    return FolderCheck.fault(of: folder, isMade: false)
  }
}
