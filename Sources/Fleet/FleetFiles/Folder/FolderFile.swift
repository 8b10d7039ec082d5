import Failures
import Glibc

/// An open file. It is closed when the object is released.
final class FolderFile: Sendable {
  let descriptor: Int32
  private let path: String

  init(_ path: String, _ flags: Int32) throws(FileError) {
    self.path = path
    descriptor = unsafe open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .last(path) }
  }

  private init(_ path: String, descriptor: Int32) throws(FileError) {
    self.path = path
    self.descriptor = descriptor
    guard descriptor >= 0 else { throw .last(path) }
  }

  /// Creates a file without a name in the folder for temporary files. It disappears when it is closed.
  static func temporary() throws(FileError) -> FolderFile {
    let folder = TemporaryFile.folder
    return try FolderFile(folder, descriptor: TemporaryFile.open())
  }

  deinit { close(descriptor) }

  var size: Int64 {
    get throws(FileError) {
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else { throw .last(path) }
      return Int64(status.st_size)
    }
  }

  /// The device and the inode of the file. No other file has the same values while this file is open.
  var identity: [UInt64] {
    get throws(FileError) {
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else { throw .last(path) }
      return [UInt64(status.st_dev), UInt64(status.st_ino)]
    }
  }

  /// Takes the file's lock without waiting.
  ///
  /// - Returns: `true` if the lock was taken; `false` if another process or object has it.
  func lock() throws(FileError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw .last(path) }
    }
    return true
  }

  func unlock() { _ = flock(descriptor, LOCK_UN) }

  func waitForLock() throws(FileError) {
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw .last(path) }
    }
  }

  func synchronize() throws(FileError) {
    guard fsync(descriptor) == 0 else { throw .last(path) }
  }

  func truncate(to size: Int64) throws(FileError) {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw .last(path) }
  }

  /// Returns at most `count` bytes; an empty array at the end of the file.
  func read(at offset: Int64, count: Int) throws(FileError) -> [UInt8] {
    var result = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      repeat {
        result = unsafe pread(descriptor, buffer.baseAddress, count, off_t(offset))
      } while result < 0 && errno == EINTR
      initialized = max(result, 0)
    }
    guard result >= 0 else { throw .last(path) }
    return bytes
  }

  func write(_ bytes: [UInt8], at offset: Int64) throws(FileError) {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes[done...].withUnsafeBytes {
        unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset) + off_t(done))
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw .last(path)
      }
      done += count
    }
  }
}
