import Foundation
import TestKit

/// The program `PortsProbe`, built beside the tests.
enum ProbeProgram {
  static var path: String {
    get throws {
      let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      let path = folder.appendingPathComponent("PortsProbe").path
      guard FileManager.default.isExecutableFile(atPath: path) else { throw TestData.Missing("PortsProbe at \(path)") }
      return path
    }
  }

  /// A test bed of `scripts/testbed`; nil, said in one line, where Debian's packages for it are missing; an error in CI.
  static func testbed(_ script: String, modules: String, packages: String) throws -> String? {
    let python = "/usr/bin/python3"
    if FileManager.default.isExecutableFile(atPath: python),
      try Tool.run(python, ["-c", modules]).status == 0
    {
      return TestData.projectRoot + "/scripts/testbed/" + script
    }
    if TestData.isCI { throw TestData.Missing(packages) }
    print("skipped: \(packages) missing (make test installs them)")
    return nil
  }
}
