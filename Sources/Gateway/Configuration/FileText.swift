import Glibc
import Ports

/// Reads a small file whole.
enum FileText {
  /// Larger than any configuration or signal set: what is larger is something else.
  static let limit = 16 << 20
  /// A hundred thousand fences of fifty corners each have half of it.
  static let fenceLimit = 512 << 20

  /// - Throws: what and where, in one line.
  static func read(_ path: String, limit: Int = limit) throws(StartError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let isMissing = errno == ENOENT || errno == ENOTDIR
      throw StartError(isMissing ? .missing : .unreadable, "\(path): cannot be read: \(systemReason(errno))")
    }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return text }
      guard count > 0 else {
        if errno == EINTR { continue }
        if errno == EISDIR { throw StartError(.missing, "\(path): a directory, expected a file") }
        throw StartError(.unreadable, "\(path): cannot be read: \(systemReason(errno))")
      }
      text += buffer[..<count]
      guard text.count <= limit else {
        throw StartError(.badConfiguration, "\(path): longer than \(limit >> 20) MiB, expected a configuration")
      }
    }
  }

  /// Writes a file anew: whole under another name first, then in the old one's place, safe from a power cut.
  ///
  /// - Throws: what and where, in one line; the old file is as it was.
  static func replace(_ path: String, with text: [UInt8]) throws(StartError) {
    let draft = path + ".new"
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StartError(.unreadable, "\(draft): cannot be written: \(systemReason(errno))") }
    var written = 0
    while written < text.count {
      let count = unsafe text.withUnsafeBytes { bytes in
        unsafe write(descriptor, bytes.baseAddress! + written, bytes.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      written += count
    }
    let isSafe = written == text.count && fsync(descriptor) == 0
    let code = errno
    close(descriptor)
    guard isSafe, unsafe rename(draft, path) == 0 else {
      throw StartError(.unreadable, "\(path): cannot be written: \(systemReason(isSafe ? errno : code))")
    }
  }
}
