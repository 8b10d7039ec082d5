import Glibc

/// Makes temporary files.
public enum TemporaryFile {
  /// The folder for temporary files: `TMPDIR`, otherwise `/tmp`.
  public static var folder: String { unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp" }

  /// Creates a file without a name in ``folder``. It can be read and written, and disappears when it is closed.
  ///
  /// - Returns: its descriptor; -1 if the file cannot be created. Then `errno` contains the reason.
  public static func open() -> Int32 {
    var path = Array("\(folder)/obdgate-XXXXXX".utf8CString)
    let descriptor = unsafe path.withUnsafeMutableBufferPointer { name in
      guard let name = name.baseAddress else { return Int32(-1) }
      let descriptor = unsafe mkstemp(name)
      if descriptor >= 0 { _ = unsafe unlink(name) }
      return descriptor
    }
    if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    return descriptor
  }
}
