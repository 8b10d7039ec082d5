import Glibc

/// The identity of the file at a path: its device and inode.
struct FilePlace: Equatable {
  private let device: dev_t
  private let number: ino_t

  /// Reads the identity of the file at a path; `nil` if that fails, with the reason in `errno`.
  init?(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
  }
}
