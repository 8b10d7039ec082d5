import Glibc

/// Renames damaged database files. They are kept for analysis, but at most two, so that they do not fill the disk.
enum DamagedFiles {
  private static let kept = 2

  /// Renames a damaged database and its log, so that a new database can be created at the path.
  ///
  /// - Returns: the new path of the database.
  static func setAside(_ path: String) throws(SpoolError) -> String {
    let number = (0..<kept).first { !exists(name(path, $0)) }
    if number == nil { makeRoom(path) }
    let aside = name(path, number ?? kept - 1)
    // Rename the database before the log. If SQLite finds a log without a database, it discards the log. If it found
    // the old log next to a new database, it would apply the log to that database.
    guard unsafe rename(path, aside) == 0 else { throw .system(path, "damaged, and cannot be renamed", errno) }
    _ = unsafe rename(path + "-wal", aside + "-wal")
    _ = unsafe unlink(path + "-shm")
    synchroniseFolder(of: path)
    return aside
  }

  /// Deletes the oldest of the kept files, and renames the others, so that a name becomes free.
  private static func makeRoom(_ path: String) {
    for number in 1..<kept {
      for suffix in ["", "-wal"] {
        _ = unsafe unlink(name(path, number - 1) + suffix)
        _ = unsafe rename(name(path, number) + suffix, name(path, number - 1) + suffix)
      }
    }
  }

  private static func name(_ path: String, _ number: Int) -> String { "\(path).damaged-\(number + 1)" }

  private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// Makes the names of files in the folder of `path` durable. fsync(2) of a file does not do this.
  static func synchroniseFolder(of path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = unsafe open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    // Ignore an error. The names already exist, and if a file system lacks this operation, nothing else can be done.
    _ = fsync(descriptor)
    close(descriptor)
  }
}
