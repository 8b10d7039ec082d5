import Foundation

/// The shared recordings that tests read. They are in the folder that `OBDGATE_TEST_DATA` names, by default in
/// `../shared/data`.
///
/// They are never copied into the project. If they are missing, a test that needs them is skipped; in CI (`CI` is set)
/// it fails.
public enum TestData {
  /// The project's folder: three levels above this file.
  public static let projectRoot: String = {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { url.deleteLastPathComponent() }
    return url.path
  }()

  /// The folder of the recordings; `nil` if this machine does not have it.
  public static let root: String? = {
    let named = ProcessInfo.processInfo.environment["OBDGATE_TEST_DATA"]
    let path = named ?? URL(fileURLWithPath: projectRoot).appendingPathComponent("../shared/data").standardized.path
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }()

  /// Whether the tests run in CI, where no program and no data may be missing.
  public static var isCI: Bool { !(ProcessInfo.processInfo.environment["CI"] ?? "").isEmpty }

  /// The error that the recordings are missing although CI requires them.
  public struct Missing: Error, CustomStringConvertible {
    public let what: String
    public var description: String { "\(what) is missing; in CI nothing may be lacking" }
    public init(_ what: String) { self.what = what }
  }

  /// Returns the path of one recording. If the recordings are missing, the current test is skipped; see
  /// ``Tool/missing(_:remedy:)``.
  public static func path(_ relative: String) throws -> String {
    guard let root else { try Tool.missing("the test data", remedy: "OBDGATE_TEST_DATA names its folder") }
    return root + "/" + relative
  }

  /// Returns the lines of one recording, without their line ends.
  public static func lines(_ relative: String) throws -> [Substring] {
    let path = try path(relative)
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: true)
  }

  /// Returns the objects of one `.jsonl` recording.
  public static func objects(_ relative: String) throws -> [[String: Any]] {
    try lines(relative).map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
  }
}
