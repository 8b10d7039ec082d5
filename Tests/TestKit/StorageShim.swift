import Foundation
import Synchronization

/// `Tests/Support/storage-shim.c`, preloaded with LD_PRELOAD between a program and its files.
public enum StorageShim {
  private static let built = Mutex<String?>(nil)

  /// Built by the toolchain's own C compiler once in each test run.
  ///
  /// - Returns: the library's path.
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
