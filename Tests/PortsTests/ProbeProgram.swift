import Foundation
import TestKit

/// The program `PortsProbe` of the same build.
enum ProbeProgram {
  static var path: String {
    get throws {
      let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      let path = folder.appendingPathComponent("PortsProbe").path
      guard FileManager.default.isExecutableFile(atPath: path) else { throw TestData.Missing("PortsProbe at \(path)") }
      return path
    }
  }

  /// A test bed of `scripts/testbed`. If Debian's packages for it are missing, the current test is skipped.
  static func testbed(_ script: String, modules: String, packages: String) throws -> String {
    let python = "/usr/bin/python3"
    if FileManager.default.isExecutableFile(atPath: python),
      try Tool.run(python, ["-c", modules]).status == 0
    {
      return TestData.projectRoot + "/scripts/testbed/" + script
    }
    try Tool.missing(packages, remedy: "make test installs it")
  }
}
