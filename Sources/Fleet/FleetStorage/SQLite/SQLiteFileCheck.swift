import Failures
import FleetDomain
import Glibc

/// Checks whether a server could open a SQLite file. The check changes nothing.
public struct SQLiteFileCheck: Sendable {
  /// The reason why a server could not use the file; `nil` if it could.
  public let fault: String?
  /// Whether a server uses the file now.
  public let isServed: Bool
  /// The ID of that server's process; `nil` if no server uses the file, or if the process is unknown.
  public let process: Int32?

  /// Checks a file. If it does not exist, checks the folder in which it would be created.
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
    // SQLite and the server create more files in the folder of the database. If the path is a link, this is the folder
    // of the file to which it refers.
    let file = SQLiteServerFile.real(path) ?? path
    let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    return FolderCheck.fault(of: folder, isMade: false)
  }
}
