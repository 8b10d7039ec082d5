import Foundation
import Glibc
import Testing

extension Tool {
  /// The folder of the running test bundle; SwiftPM puts the programs into the same folder.
  private static let productFolder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path

  /// The path of the built `obdgate`: `OBDGATE_PROGRAM`, by default the program in the folder of the test bundle.
  ///
  /// If it is not built, the current test is skipped; see ``missing(_:remedy:)``.
  public static var obdgate: String {
    get throws {
      try built("OBDGATE_PROGRAM", "obdgate", at: productFolder + "/obdgate")
    }
  }

  /// The path of the built `obdgated`: `OBDGATED_PROGRAM`, by default the program in the folder of the test bundle.
  public static var obdgated: String {
    get throws { try built("OBDGATED_PROGRAM", "obdgated", at: productFolder + "/obdgated") }
  }

  /// The path of the built `fleetstore`: `FLEETSTORE_PROGRAM`, by default the program in the folder of the test bundle.
  public static var fleetstore: String {
    get throws { try built("FLEETSTORE_PROGRAM", "fleetstore", at: productFolder + "/fleetstore") }
  }

  /// The release build of `obdgate`, for measurements: `OBDGATE_RELEASE`, by default `.build/release/obdgate`.
  public static var releaseObdgate: String {
    get throws {
      try built("OBDGATE_RELEASE", "release build of obdgate", at: TestData.projectRoot + "/.build/release/obdgate")
    }
  }

  private static func built(_ variable: String, _ name: String, at path: String) throws -> String {
    let path = ProcessInfo.processInfo.environment[variable] ?? path
    if FileManager.default.isExecutableFile(atPath: path) { return path }
    try missing(name, remedy: "make test builds it")
  }

  /// The full path of a program in `PATH` or in the project's own `.tools/venv`.
  ///
  /// If it is not installed, the current test is skipped; see ``missing(_:remedy:)``.
  @discardableResult
  public static func required(_ name: String) throws -> String {
    if let path = find(name) { return path }
    try missing(name, remedy: "make test installs it")
  }

  /// The interpreter of the project's virtual environment, which has this module.
  ///
  /// If it has not, the current test is skipped; see ``missing(_:remedy:)``.
  public static func python(with module: String) throws -> String {
    let python = TestData.projectRoot + "/.tools/venv/bin/python3"
    if FileManager.default.isExecutableFile(atPath: python),
      try run(python, ["-c", "import \(module)"]).status == 0
    {
      return python
    }
    try missing("Python module \(module)", remedy: "make test installs it")
  }

  /// `true` if the program is installed; does not skip the test.
  public static func has(_ name: String) -> Bool { find(name) != nil }

  private static func find(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let folders = [TestData.projectRoot + "/.tools/venv/bin"] + path.split(separator: ":").map(String.init)
    return folders.map { $0 + "/" + name }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Skips the current test, or the current case of a test with arguments, because this machine lacks something.
  ///
  /// - Parameters:
  ///   - what: the missing program or data.
  ///   - remedy: instructions to install it.
  /// - Throws: in CI, where nothing may be missing, ``TestData/Missing``: the test fails.
  public static func missing(_ what: String, remedy: String) throws -> Never {
    guard !TestData.isCI, Test.current != nil else { throw TestData.Missing(what) }
    try skip("\(what) is missing (\(remedy))")
  }

  /// Skips the current test, or the current case of a test with arguments, in CI as well.
  public static func skip(_ reason: String) throws -> Never {
    // scripts/test.sh counts these lines: the framework prints none for a case of a test with arguments.
    print("skipped: \(Test.current?.name ?? "a test()"): \(reason)")
    try Test.cancel("\(reason)")
  }
}

extension Trait where Self == ConditionTrait {
  /// The test reads the test data for its arguments. Without the data it is skipped; in CI it runs, and fails.
  public static var needsTestData: Self {
    .enabled(
      if: TestData.isCI || TestData.root != nil, "the test data is missing (OBDGATE_TEST_DATA names its folder)")
  }

  /// The test runs as root only.
  public static var needsRoot: Self { .enabled(if: geteuid() == 0, "root is needed") }
}
