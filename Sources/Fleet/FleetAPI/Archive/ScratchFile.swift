import Failures
import FleetDomain
import Glibc
import Synchronization

/// A temporary file without a name, which disappears when it is closed. All bytes are appended first, and are then read
/// from the beginning.
final class ScratchFile: Sendable {
  /// The number of bytes that are collected before they are written, and the maximum number of bytes of one read.
  private static let piece = 64 << 10

  private let descriptor: Int32
  /// Bytes that were appended but not written to the file yet.
  private let buffer = Mutex<[UInt8]>([])

  /// Creates the file.
  ///
  /// - Throws: `system` if the file cannot be created in the folder for temporary files.
  init() throws(StorageError) {
    descriptor = TemporaryFile.open()
    if descriptor < 0 { throw Self.error(errno, TemporaryFile.folder) }
  }

  deinit { Glibc.close(descriptor) }

  /// Removes all bytes. New bytes can then be appended.
  func clear() throws(StorageError) {
    buffer.withLock { $0 = [] }
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.error(errno) }
  }

  func append(_ bytes: [UInt8]) throws(StorageError) {
    let full: [UInt8]? = buffer.withLock { buffer in
      buffer += bytes
      guard buffer.count >= Self.piece else { return nil }
      defer { buffer = [] }
      return buffer
    }
    if let full { try flush(full) }
  }

  /// Writes the bytes that are still in the buffer. Then ``next()`` reads from the first byte.
  func rewind() throws(StorageError) {
    let rest = buffer.withLock { buffer in
      defer { buffer = [] }
      return buffer
    }
    try flush(rest)
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.error(errno) }
  }

  /// Returns the next bytes of the file, at most 64 KiB; `nil` at the end.
  func next() throws(StorageError) -> [UInt8]? {
    let descriptor = descriptor
    var count = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.piece) { buffer, initialized in
      repeat {
        count = unsafe read(descriptor, buffer.baseAddress, Self.piece)
      } while count < 0 && errno == EINTR
      initialized = max(count, 0)
    }
    if count < 0 { throw Self.error(errno) }
    return count == 0 ? nil : bytes
  }

  private func flush(_ bytes: [UInt8]) throws(StorageError) {
    let code = writeAll(bytes.span, to: descriptor)
    if code != 0 { throw Self.error(code) }
  }

  private static func error(_ code: Int32, _ place: String = "temporary file") -> StorageError {
    StorageError(code == ENOSPC ? .full : .system, place, systemReason(code))
  }
}
