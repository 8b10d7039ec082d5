import Glibc
import Ports

/// A token, user name, password or PIN in a separate file that only the daemon's user can read.
public enum SecretFile {
  /// Maximum size, bytes; longer than any token.
  private static let limit = 16 << 10

  /// Reads the single line of a file and trims white space.
  ///
  /// - Throws: ``SinkError/Kind/badFile`` if the file is missing or empty, has several lines, or is accessible to
  ///   everyone.
  public static func read(_ path: String) throws(SinkError) -> String {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw SinkError(.badFile, path, "cannot be read: \(systemReason(errno))") }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw SinkError(.badFile, path, "not a file")
    }
    guard status.st_mode & 0o007 == 0 else {
      throw SinkError(
        .badFile, path,
        "everyone can read or write this secret; make it a file of the daemon's user with chmod 600")
    }
    var buffer = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < buffer.count {
      let more = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe Glibc.read(descriptor, bytes.baseAddress! + count, bytes.count - count)
      }
      if more < 0, errno == EINTR { continue }
      guard more >= 0 else { throw SinkError(.badFile, path, "cannot be read: \(systemReason(errno))") }
      if more == 0 { break }
      count += more
    }
    let text = buffer[..<count].trimmingWhiteSpace
    guard !text.isEmpty, count <= limit, text.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw SinkError(.badFile, path, "expected one line of printable ASCII")
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension ArraySlice<UInt8> {
  fileprivate var trimmingWhiteSpace: ArraySlice<UInt8> {
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
      return []
    }
    return self[first...last]
  }
}
