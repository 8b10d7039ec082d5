import Failures
import Glibc

/// An exclusive lock (flock(2)) on the file `spool.lock`, so that only one process uses a spool. The lock is released
/// when this object is destroyed, or by the kernel when the process dies.
///
/// The file `spool.lock` also contains the ``PendingMark``.
final class FolderLock {
  private let descriptor: Int32
  /// The mark that the previous process has left in this folder; `nil` if there is no valid mark.
  let previousMark: PendingMark?
  private var content: [UInt8] = []

  /// Locks a folder. If the folder does not exist, it is created.
  ///
  /// - Throws: ``SpoolError`` of the kind `inUse` if another process holds the lock.
  init(_ folder: String) throws(SpoolError) {
    if unsafe mkdir(folder, 0o750) != 0, errno != EEXIST { throw .system(folder, "cannot be created", errno) }
    let path = folder + "/spool.lock"
    let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
    guard opened >= 0 else { throw .system(path, "cannot be opened", errno) }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(opened)
      if code == EWOULDBLOCK { throw SpoolError(.inUse, folder, "another process uses this spool") }
      throw .system(path, "cannot be locked", code)
    }
    // Assign `descriptor` last. When all properties are set, `deinit` runs even if the initializer throws, and by then
    // the descriptor's number may belong to another file.
    previousMark = PendingMark(readFrom: opened)
    descriptor = opened
  }

  deinit {
    // Unlock before close(2): a child process that was forked shares the lock until it executes another program.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Replaces the mark in the file, without fsync(2): the mark must survive the end of the process, but not a power
  /// cut.
  func write(_ mark: PendingMark) {
    let text = mark.text
    guard text != content else { return }
    content = text
    let written = unsafe pwrite(descriptor, text, text.count, 0)
    guard written != text.count else { return }
    // Remove the mark, because an outdated mark would report too few lost records. Without a mark, the next start uses
    // the reserved numbers instead. If the disk does not even accept this write, commits fail, too, and `Spool.state`
    // shows the failure.
    content = []
    _ = ftruncate(descriptor, 0)
  }

  /// Writes to the lock file, to find out why writes to this file system fail. SQLite does not report the reason.
  ///
  /// - Returns: the value of `errno` if the write failed; 0 if it succeeded.
  func writeFailure() -> Int32 {
    let text = content.isEmpty ? [UInt8(ascii: "\n")] : content
    guard unsafe pwrite(descriptor, text, text.count, 0) == text.count else { return errno }
    return fsync(descriptor) == 0 ? 0 : errno
  }
}

extension SpoolError {
  /// Creates the error for a value of `errno`. `what` is the operation that failed.
  static func system(_ path: String, _ what: String, _ code: Int32) -> SpoolError {
    let kind: Kind =
      switch code {
      case ENOSPC, EDQUOT: .full
      case EROFS: .readOnly
      default: .system
      }
    return SpoolError(kind, path, "\(what): \(systemReason(code))")
  }
}
