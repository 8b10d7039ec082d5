import Foundation
import TestKit

/// The test beds of `scripts/testbed`.
enum Testbed {
  /// A test bed of `scripts/testbed`. If Debian's packages for it are missing, the current test is skipped.
  static func path(_ script: String, modules: String, packages: String) throws -> String {
    let python = "/usr/bin/python3"
    if FileManager.default.isExecutableFile(atPath: python),
      try Tool.run(python, ["-c", modules]).status == 0
    {
      return TestData.projectRoot + "/scripts/testbed/" + script
    }
    try Tool.missing(packages, remedy: "make test installs it")
  }
}
