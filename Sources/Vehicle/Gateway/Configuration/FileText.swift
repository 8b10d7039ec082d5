import Glibc
import Ports

/// Reads a small file whole.
enum FileText {
  /// Larger than any configuration: what is larger is something else.
  static let configurationLimit = 1 << 20
  /// Larger than any signal set.
  static let limit = 4 << 20
  /// A hundred thousand fences of fifty corners each have half of it.
  static let fenceLimit = 512 << 20

  /// - Parameter cuts: what is longer than the limit is cut there, and not wrong.
  /// - Throws: what and where, in one line.
  static func read(_ path: String, limit: Int = limit, cuts: Bool = false) throws(StartError) -> [UInt8] {
    // Not blocking: a pipe in its place would wait for a writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      let isMissing = [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG].contains(code)
      throw StartError(isMissing ? .missing : .unreadable, "\(path): cannot be read: \(systemReason(code))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      throw StartError(.missing, "\(path): \(isFolder ? "a directory" : "a pipe or a device"), expected a file")
    }
    guard cuts || status.st_size <= limit else { throw tooLong(path, limit) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return text }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw StartError(.unreadable, "\(path): cannot be read: \(systemReason(errno))")
      }
      text += buffer[..<count]
      guard text.count > limit else { continue }
      guard cuts else { throw tooLong(path, limit) }
      text.removeLast(text.count - limit)
      return text
    }
  }

  /// Whether users may read it who are neither its owner nor of its group.
  static func isForEveryone(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & 0o004 != 0
  }

  private static func tooLong(_ path: String, _ limit: Int) -> StartError {
    StartError(.badConfiguration, "\(path): longer than \(limit >> 20) MiB, which no such file is")
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
