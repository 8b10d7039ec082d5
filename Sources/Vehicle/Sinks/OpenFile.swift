import Failures
import Glibc

/// An open file, closed at the end of its lifetime.
struct OpenFile: ~Copyable {
  let descriptor: Int32
  let path: String
  let status: stat

  /// Opens a regular file.
  ///
  /// - Parameters:
  ///   - flags: flags of open(2).
  ///   - mode: permissions of a new file.
  /// - Throws: ``SinkError`` if the file cannot be opened or is not a regular file.
  init(_ path: String, _ flags: Int32, mode: mode_t = 0o640) throws(SinkError) {
    // Do not block: a FIFO at this path would wait for a reader.
    let opened = unsafe open(path, flags | O_CLOEXEC | O_NONBLOCK, mode)
    guard opened >= 0 else { throw Self.failure(path, errno) }
    var status = stat()
    guard unsafe fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      throw SinkError(.badFile, path, "not a file; for a pipe use the sink \"stdout\"")
    }
    descriptor = opened
    self.path = path
    self.status = status
  }

  deinit { close(descriptor) }

  /// Writes all bytes at the file's position.
  func write(_ bytes: ArraySlice<UInt8>) throws(SinkError) {
    let code = writeAll(bytes.span, to: descriptor)
    guard code == 0 else { throw Self.failure(path, code) }
  }

  /// Reads up to `count` bytes at an offset; fewer at the end of the file.
  func read(at start: Int, _ count: Int) throws(SinkError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let more = unsafe bytes.withUnsafeMutableBytes { room in
        unsafe pread(descriptor, room.baseAddress! + done, count - done, off_t(start + done))
      }
      if more < 0, errno == EINTR { continue }
      guard more >= 0 else { throw SinkError(.system, path, "cannot be read: \(systemReason(errno))") }
      if more == 0 { break }
      done += more
    }
    return Array(bytes[..<done])
  }

  /// Waits until written data is on the disk.
  func synchronise() throws(SinkError) {
    guard fdatasync(descriptor) == 0 else { throw Self.failure(path, errno) }
  }

  /// Truncates the file to this length in bytes.
  func shorten(to count: Int) throws(SinkError) {
    guard ftruncate(descriptor, off_t(count)) == 0 else { throw Self.failure(path, errno) }
  }

  /// Locks the file against other processes that also call this, as long as it is open.
  ///
  /// - Throws: `badFile` if another process holds the lock.
  func claim() throws(SinkError) {
    var whole = flock()
    whole.l_type = Int16(F_WRLCK)
    whole.l_whence = Int16(SEEK_SET)
    // Ignore file systems without such locks.
    guard unsafe fcntl(descriptor, F_SETLK, &whole) != 0, errno == EAGAIN || errno == EACCES else { return }
    throw SinkError(.badFile, path, "another process writes this file; give each process its own file")
  }

  /// Whether the path leads to another file now, for example after a log rotation.
  var isElsewhere: Bool {
    var now = stat()
    return unsafe stat(path, &now) != 0 || now.st_ino != status.st_ino || now.st_dev != status.st_dev
  }

  /// Makes an error from an `errno` value of a write.
  static func failure(_ path: String, _ code: Int32) -> SinkError {
    let kind: SinkError.Kind =
      switch code {
      case ENOSPC, EDQUOT, EFBIG: .full
      case EROFS: .readOnly
      case EACCES, EPERM, EISDIR, ENOTDIR, ENOENT, ELOOP, ENXIO: .badFile
      default: .system
      }
    return SinkError(kind, path, "cannot be written: \(systemReason(code))")
  }
}
