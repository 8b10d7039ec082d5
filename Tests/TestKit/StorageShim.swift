import Foundation
import Synchronization

/// The library `Tests/Support/storage-shim.c`. It is loaded with LD_PRELOAD and intercepts a program's calls for its
/// files.
public enum StorageShim {
  private static let built = Mutex<String?>(nil)

  /// Returns the path of the library. It is built once in each test run, by the C compiler of the Swift toolchain.
  public static func library() throws -> String {
    try built.withLock { path in
      if let path { return path }
      let source = TestData.projectRoot + "/Tests/Support/storage-shim.c"
      let library = FileManager.default.temporaryDirectory.appendingPathComponent(
        "obdgate-storage-shim-\(ProcessInfo.processInfo.processIdentifier).so"
      ).path
      let compiled = try Tool.run(
        "clang", ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", source, "-o", library])
      guard compiled.status == 0 else { throw Tool.Failure.system("clang", reason: compiled.errors) }
      path = library
      return library
    }
  }
}
