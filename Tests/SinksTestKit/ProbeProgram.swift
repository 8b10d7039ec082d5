import Foundation
import TestKit

/// The program `SinksProbe` of the same build.
enum ProbeProgram {
  static var path: String {
    get throws {
      let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      let path = folder.appendingPathComponent("SinksProbe").path
      guard FileManager.default.isExecutableFile(atPath: path) else { throw TestData.Missing("SinksProbe at \(path)") }
      return path
    }
  }
}
