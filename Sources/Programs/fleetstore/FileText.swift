import Glibc

/// Reads small files.
enum FileText {
  /// The maximum length; a longer file is not a configuration or a secret.
  private static let limit = 1 << 20

  /// Reads a file that only its owner and group may be able to read.
  static func readSecret(_ path: String) throws(CommandError) -> [UInt8] {
    var status = stat()
    guard unsafe stat(path, &status) != 0 || status.st_mode & 0o007 == 0 else {
      throw CommandError(
        .badConfiguration, "\(path): everyone can read or write this secret; run chmod 600")
    }
    return try read(path)
  }

  /// Reads the only line of such a file, with or without a line feed.
  static func readSecretLine(_ path: String) throws(CommandError) -> String {
    let text = String(decoding: try readSecret(path), as: UTF8.self)
    let line = text.hasSuffix("\n") ? text.dropLast() : text[...]
    guard !line.isEmpty, !line.contains(where: \.isNewline), !line.utf8.contains(0) else {
      throw CommandError(.badConfiguration, "\(path): expected one line")
    }
    return String(line)
  }

  static func read(_ path: String) throws(CommandError) -> [UInt8] { try readNotingWhoMay(path).text }

  /// - Returns: the text, and whether others than the file's owner and group can read it.
  static func readNotingWhoMay(_ path: String) throws(CommandError) -> (text: [UInt8], isOpen: Bool) {
    // Non-blocking, because opening a pipe would wait for a writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      let isMissing = [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG].contains(code)
      throw CommandError(isMissing ? .noInput : .unreadable, "\(path): cannot be read: \(reason(code))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      throw CommandError(.noInput, "\(path): \(isFolder ? "a directory" : "a pipe or a device"), expected a file")
    }
    guard status.st_size <= limit else { throw tooLong(path) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return (text, status.st_mode & 0o004 != 0) }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw CommandError(.unreadable, "\(path): cannot be read: \(reason(errno))")
      }
      text += buffer[..<count]
      guard text.count <= limit else { throw tooLong(path) }
    }
  }

  private static func tooLong(_ path: String) -> CommandError {
    CommandError(.badConfiguration, "\(path): longer than \(limit >> 20) MiB, which no such file is")
  }

  private static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
