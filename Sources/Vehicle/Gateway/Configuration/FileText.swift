import Glibc
import Ports

/// Reads and writes small files as a whole.
enum FileText {
  /// Maximum size of a configuration, bytes.
  static let configurationLimit = 1 << 20
  /// Maximum size of a signal set, bytes.
  static let limit = 4 << 20
  /// Maximum size of a fence file, bytes: twice that of a hundred thousand fences with fifty corners each.
  static let fenceLimit = 512 << 20

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - limit: maximum size, bytes.
  ///   - cuts: whether a longer file is cut instead of rejected.
  /// - Throws: ``StartError``, one line.
  static func read(_ path: String, limit: Int = limit, cuts: Bool = false) throws(StartError) -> [UInt8] {
    // Do not block: a pipe at this path would wait for a writer.
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

  /// Whether users other than its owner and group may read a file.
  static func isForEveryone(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & 0o004 != 0
  }

  private static func tooLong(_ path: String, _ limit: Int) -> StartError {
    StartError(.badConfiguration, "\(path): longer than \(limit >> 20) MiB, which no such file is")
  }

  /// Replaces a file: writes it under another name and renames it, safe from a power cut.
  ///
  /// - Throws: ``StartError``, one line; the old file is unchanged.
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
