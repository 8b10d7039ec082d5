import Glibc

/// Reads a small file whole.
enum FileText {
  /// Larger than any configuration, signal set or fence file: what is larger is something else.
  static let limit = 16 << 20

  /// - Throws: what and where, in one line.
  static func read(_ path: String) throws(StartError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let isMissing = errno == ENOENT || errno == ENOTDIR
      throw StartError(isMissing ? .missing : .unreadable, "\(path): cannot be read: \(reason(errno))")
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
        throw StartError(.unreadable, "\(path): cannot be read: \(reason(errno))")
      }
      text += buffer[..<count]
      guard text.count <= limit else {
        throw StartError(.badConfiguration, "\(path): longer than 16 MiB, expected a configuration")
      }
    }
  }

  static func reason(_ number: Int32) -> String { unsafe String(cString: strerror(number)) }
}
