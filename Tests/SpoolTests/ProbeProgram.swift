import Foundation
import TestKit

/// The number of repetitions of tests that can run for any time. It can be set in the environment.
enum Torture {
  static func count(_ variable: String, usually: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? usually
  }
}

/// The program `SpoolProbe`, built together with the tests.
enum ProbeProgram {
  static var path: String {
    get throws {
      let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      let path = folder.appendingPathComponent("SpoolProbe").path
      guard FileManager.default.isExecutableFile(atPath: path) else { throw TestData.Missing("SpoolProbe at \(path)") }
      return path
    }
  }
}
