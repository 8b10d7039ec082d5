import Glibc

/// Reads and writes small files as a whole.
public enum FileText {
  /// Maximum size of a configuration file or a file with a secret, bytes.
  public static let configurationLimit = 1 << 20

  /// The content of a file.
  public struct Content: Sendable {
    /// All bytes.
    public let bytes: [UInt8]
    private let mode: mode_t

    fileprivate init(_ bytes: [UInt8], _ mode: mode_t) {
      self.bytes = bytes
      self.mode = mode
    }

    /// Whether users other than the file's owner and group can read it.
    public var isForEveryone: Bool { mode & 0o004 != 0 }
    /// Whether users other than the file's owner and group have any access to it.
    public var isOpenToOthers: Bool { mode & 0o007 != 0 }
  }

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - limit: maximum size of the file, bytes.
  ///   - cuts: whether to return the first `limit` bytes of a larger file, instead of throwing an error.
  /// - Throws: ``Failure`` with the path and the reason.
  public static func read(
    _ path: String, limit: Int = configurationLimit, cuts: Bool = false
  ) throws(Failure) -> [UInt8] {
    try content(of: path, limit: limit, cuts: cuts).bytes
  }

  /// Reads a file that only its owner and group may access.
  ///
  /// - Throws: ``Failure`` with the path and the reason.
  public static func readSecret(_ path: String) throws(Failure) -> [UInt8] {
    let content = try content(of: path)
    guard !content.isOpenToOthers else {
      throw Failure(
        .badConfiguration, path, "everyone can read or write this secret; run chmod 600")
    }
    return content.bytes
  }

  /// Reads a file of one line, which may end with a line feed. Only the file's owner and group may have access to it.
  ///
  /// - Throws: ``Failure`` with the path and the reason.
  public static func readSecretLine(_ path: String) throws(Failure) -> String {
    let text = String(decoding: try readSecret(path), as: UTF8.self)
    let line = text.hasSuffix("\n") ? text.dropLast() : text[...]
    guard !line.isEmpty, !line.contains(where: \.isNewline), !line.utf8.contains(0) else {
      throw Failure(.badConfiguration, path, "expected one line")
    }
    return String(line)
  }

  /// Reads a file and its permissions; the parameters are those of ``read(_:limit:cuts:)``.
  ///
  /// - Throws: ``Failure`` with the path and the reason.
  public static func content(
    of path: String, limit: Int = configurationLimit, cuts: Bool = false
  ) throws(Failure) -> Content {
    // Open without blocking: a pipe at this path would otherwise wait for a writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      let isMissing = [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG].contains(code)
      throw Failure(isMissing ? .noInput : .unreadable, path, "cannot be read: \(systemReason(code))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      throw Failure(.noInput, path, "\(isFolder ? "a directory" : "a pipe or a device"), expected a file")
    }
    guard cuts || status.st_size <= limit else { throw tooLong(path, limit) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return Content(bytes, status.st_mode) }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw Failure(.unreadable, path, "cannot be read: \(systemReason(errno))")
      }
      bytes += buffer[..<count]
      guard bytes.count > limit else { continue }
      guard cuts else { throw tooLong(path, limit) }
      bytes.removeLast(bytes.count - limit)
      return Content(bytes, status.st_mode)
    }
  }

  private static func tooLong(_ path: String, _ limit: Int) -> Failure {
    Failure(.badConfiguration, path, "longer than \(limit >> 20) MiB, which no such file is")
  }
}

extension FileText {
  /// Replaces a file: writes the new content to a second file with the suffix `.new`, then renames that file. After a
  /// power cut, the path has either the old or the new content.
  ///
  /// - Throws: ``Failure`` with the path and the reason. The old file is then unchanged.
  public static func replace(_ path: String, with text: [UInt8]) throws(Failure) {
    let draft = path + ".new"
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw unwritable(draft, errno) }
    let code = write(text, to: descriptor)
    close(descriptor)
    guard code == 0 else { throw unwritable(path, code) }
    guard unsafe rename(draft, path) == 0 else { throw unwritable(path, errno) }
  }

  /// Creates a file that only its owner can read. A file that exists at this path is replaced.
  ///
  /// - Throws: ``Failure`` with the path and the reason.
  public static func create(_ path: String, secret: String) throws(Failure) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw unwritable(path, errno) }
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw unwritable(path, errno) }
    let code = write(Array(secret.utf8), to: descriptor)
    close(descriptor)
    guard code == 0 else { throw unwritable(path, code) }
  }

  /// Writes all bytes and waits until the disk has stored them.
  ///
  /// - Returns: 0 on success; otherwise the `errno`.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    let code = writeAll(bytes.span, to: descriptor)
    return code == 0 && fsync(descriptor) != 0 ? errno : code
  }

  private static func unwritable(_ path: String, _ code: Int32) -> Failure {
    Failure(.unreadable, path, "cannot be written: \(systemReason(code))")
  }
}
