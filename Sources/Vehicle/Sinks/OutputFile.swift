import Failures
import Glibc

/// An open file. It is closed when the value is destroyed.
struct OutputFile: ~Copyable {
  let descriptor: Int32
  let path: String
  let status: stat

  /// Opens a regular file.
  ///
  /// - Parameters:
  ///   - flags: flags of open(2).
  ///   - mode: permissions of the file if it is created.
  /// - Throws: ``SinkError`` if the file cannot be opened, or if it is not a regular file.
  init(_ path: String, _ flags: Int32, mode: mode_t = 0o640) throws(SinkError) {
    // O_NONBLOCK prevents open(2) from waiting for the other end if the path is that of a FIFO.
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

  /// Writes all bytes at the file's current position.
  func write(_ bytes: ArraySlice<UInt8>) throws(SinkError) {
    let code = writeAll(bytes.span, to: descriptor)
    guard code == 0 else { throw Self.failure(path, code) }
  }

  /// Reads up to `count` bytes at an offset. Fewer bytes are returned only at the end of the file.
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

  /// Waits until all written data are on the disk.
  func synchronise() throws(SinkError) {
    guard fdatasync(descriptor) == 0 else { throw Self.failure(path, errno) }
  }

  /// Cuts the file off after `count` bytes.
  func shorten(to count: Int) throws(SinkError) {
    guard ftruncate(descriptor, off_t(count)) == 0 else { throw Self.failure(path, errno) }
  }

  /// Locks the file while it is open. Another process that calls this function cannot lock the file during this time.
  ///
  /// - Throws: `badFile` if another process holds the lock.
  func claim() throws(SinkError) {
    var whole = flock()
    whole.l_type = Int16(F_WRLCK)
    whole.l_whence = Int16(SEEK_SET)
    // If the file system does not support such locks, continue without a lock.
    guard unsafe fcntl(descriptor, F_SETLK, &whole) != 0, errno == EAGAIN || errno == EACCES else { return }
    throw SinkError(.badFile, path, "another process writes this file; give each process its own file")
  }

  /// Whether the path now leads to another file or to none, for example after a log rotation.
  var isElsewhere: Bool {
    var now = stat()
    return unsafe stat(path, &now) != 0 || now.st_ino != status.st_ino || now.st_dev != status.st_dev
  }

  /// Creates the error for a write that failed with this value of `errno`.
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
