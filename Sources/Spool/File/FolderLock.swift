import Glibc

/// One process has a spool: flock(2) on `spool.lock`, given back with the object, or by the kernel when the process
/// dies.
final class FolderLock {
  private let descriptor: Int32

  /// Makes the folder where there is none.
  init(_ folder: String) throws(SpoolError) {
    if unsafe mkdir(folder, 0o750) != 0, errno != EEXIST { throw .system(folder, "cannot be made", errno) }
    let path = folder + "/spool.lock"
    let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
    guard opened >= 0 else { throw .system(path, "cannot be opened", errno) }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(opened)
      if code == EWOULDBLOCK { throw SpoolError(.inUse, folder, "another process has this spool") }
      throw .system(path, "cannot be locked", code)
    }
    // Not before: an object that is whole is deinitialized where its initializer throws, and the number may be another
    // file's by then.
    descriptor = opened
  }

  deinit {
    // Said, not left to close(2): a child that was just forked has the same lock until it is another program.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Writes the process's number into the file, for people, and to find out what the system says to a write here:
  /// SQLite does not tell.
  ///
  /// - Returns: `errno`; 0 where it was written.
  func writeFailure() -> Int32 {
    let text = Array("\(getpid())\n".utf8)
    let written = unsafe pwrite(descriptor, text, text.count, 0)
    guard written == text.count, ftruncate(descriptor, off_t(text.count)) == 0 else { return errno }
    return fsync(descriptor) == 0 ? 0 : errno
  }
}

extension SpoolError {
  /// What the system said.
  static func system(_ path: String, _ what: String, _ code: Int32) -> SpoolError {
    let kind: Kind =
      switch code {
      case ENOSPC, EDQUOT: .full
      case EROFS: .readOnly
      default: .system
      }
    return SpoolError(kind, path, unsafe "\(what): \(String(cString: strerror(code)))")
  }
}
