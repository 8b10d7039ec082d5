import Glibc

/// Which file a path leads to.
struct FilePlace: Equatable {
  private let device: dev_t
  private let number: ino_t

  /// Nil: it cannot be told, for the reason in `errno`.
  init?(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
  }
}
