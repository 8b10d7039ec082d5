import Glibc

/// Lists folders.
public enum FolderListing {
  /// Returns the names of the files in a folder, in any order.
  ///
  /// - Parameter includesHidden: whether names that begin with a dot are returned, too.
  /// - Returns: the names; `nil` if the folder cannot be read. Then `errno` contains the reason.
  public static func names(in folder: String, includesHidden: Bool = false) -> [String]? {
    guard let listing = unsafe opendir(folder) else { return nil }
    defer { unsafe _ = closedir(listing) }
    var names: [String] = []
    while let entry = unsafe readdir(listing) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if includesHidden || !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }
}
