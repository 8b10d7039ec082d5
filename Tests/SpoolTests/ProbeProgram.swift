import Foundation
import Synchronization
import TestKit

/// How long tests go on that can go on for ever: a number in the environment.
enum Torture {
  static func count(_ variable: String, usually: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? usually
  }
}

/// The program `SpoolProbe`, built beside the tests, and what can stand between it and its files.
enum ProbeProgram {
  static var path: String {
    get throws {
      let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      let path = folder.appendingPathComponent("SpoolProbe").path
      guard FileManager.default.isExecutableFile(atPath: path) else { throw TestData.Missing("SpoolProbe at \(path)") }
      return path
    }
  }

  private static let built = Mutex<String?>(nil)

  /// `Tests/Support/storage-shim.c`, built by the toolchain's own C compiler once in each test run.
  static func shim() throws -> String {
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
