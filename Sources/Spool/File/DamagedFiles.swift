import Glibc

/// Files that were found damaged: kept aside for people, two at most, so that they do not fill the disk.
enum DamagedFiles {
  private static let kept = 2

  /// Renames the database and its log, so that a new one can be made in their place.
  ///
  /// - Returns: where the database is now.
  static func setAside(_ path: String) throws(SpoolError) -> String {
    let number = (0..<kept).first { !exists(name(path, $0)) }
    if number == nil { makeRoom(path) }
    let aside = name(path, number ?? kept - 1)
    // The database first: a log without one is thrown away by SQLite, one beside another database would be taken for
    // its own.
    guard unsafe rename(path, aside) == 0 else { throw .system(path, "damaged, and cannot be set aside", errno) }
    _ = unsafe rename(path + "-wal", aside + "-wal")
    _ = unsafe unlink(path + "-shm")
    synchroniseFolder(of: path)
    return aside
  }

  /// The oldest goes, the others move up.
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

  /// Makes names in a folder durable (fsync(2): a file's own synchronisation does not cover them).
  static func synchroniseFolder(of path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = unsafe open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    // A file system that cannot do it has nothing better to offer; the names are there already.
    _ = fsync(descriptor)
    close(descriptor)
  }
}
