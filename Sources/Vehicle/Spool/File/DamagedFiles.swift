import Glibc

/// Copies of damaged files, kept for analysis; at most two, so that they do not fill the disk.
enum DamagedFiles {
  private static let kept = 2

  /// Renames the database and its log, so that a new database can be created at the path.
  ///
  /// - Returns: the new path of the database.
  static func setAside(_ path: String) throws(SpoolError) -> String {
    let number = (0..<kept).first { !exists(name(path, $0)) }
    if number == nil { makeRoom(path) }
    let aside = name(path, number ?? kept - 1)
    // Rename the database first. SQLite discards a log without a database, but would apply a log beside another
    // database to it.
    guard unsafe rename(path, aside) == 0 else { throw .system(path, "damaged, and cannot be renamed", errno) }
    _ = unsafe rename(path + "-wal", aside + "-wal")
    _ = unsafe unlink(path + "-shm")
    synchroniseFolder(of: path)
    return aside
  }

  /// Deletes the oldest copy and moves the others up.
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

  /// Makes names in a folder durable. fsync(2) of a file does not cover its name.
  static func synchroniseFolder(of path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = unsafe open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    // Ignore a failure: the names exist already, and a file system without this operation offers no alternative.
    _ = fsync(descriptor)
    close(descriptor)
  }
}
