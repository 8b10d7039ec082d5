import Foundation

/// The files of the project itself.
public enum ProjectTree {
  /// Returns the absolute paths of all Swift files below a folder of the project, sorted.
  public static func swiftFiles(under folder: String) throws -> [String] {
    let root = TestData.projectRoot + "/" + folder
    // Resolve links in the path of the folder first, because the enumerator follows none.
    let resolved = URL(fileURLWithPath: root).resolvingSymlinksInPath().path
    return try FileManager.default.subpathsOfDirectory(atPath: resolved)
      .filter { $0.hasSuffix(".swift") }.sorted().map { resolved + "/" + $0 }
  }

  /// Returns the text of one file of the project.
  public static func text(_ path: String) throws -> String {
    try String(contentsOfFile: TestData.projectRoot + "/" + path, encoding: .utf8)
  }

  /// Returns the paths of all files of the project: those that git tracks, and new ones that it does not ignore.
  public static func files() throws -> [String] {
    let listed = try Tool.run(
      "git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], directory: TestData.projectRoot)
    guard listed.status == 0 else { throw Tool.Failure.system("git ls-files", reason: listed.errors) }
    return listed.output.split(separator: "\0").map(String.init).filter {
      FileManager.default.fileExists(atPath: TestData.projectRoot + "/" + $0)
    }
  }
}
