import Glibc

/// Checks folders before a program uses them.
public enum FolderCheck {
  /// Returns the reason why a folder cannot be used; `nil` if it can.
  ///
  /// - Parameter isMade: whether the caller will create the folder, with its parents, if it does not exist. A missing
  ///   folder can then be used if its nearest existing parent is writable.
  public static func fault(of folder: String, isMade: Bool = true) -> String? {
    var place = folder.isEmpty ? "/" : folder
    var status = stat()
    while unsafe stat(place, &status) != 0 {
      let code = errno
      guard isMade, code == ENOENT, place != "." else { return "\(place): \(systemReason(code))" }
      // A path without a slash is in the working directory.
      let end = place.lastIndex(of: "/")
      place = end == place.startIndex ? "/" : end.map { String(place[..<$0]) } ?? "."
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return "\(place): a file, expected a folder" }
    guard unsafe access(place, W_OK | X_OK) == 0 else {
      let what = place == folder ? "cannot be written" : "\(folder) cannot be made in it"
      return "\(place): \(what): \(systemReason(errno))"
    }
    return nil
  }
}
