import Foundation
import Glibc
import Testing

extension Tool {
  /// The folder of the running test bundle, in which SwiftPM also builds the programs.
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

  /// Returns the path of a program that only tests use, such as `PortsProbe`, in the folder of the test bundle.
  public static func probe(_ name: String) throws -> String {
    let path = productFolder + "/" + name
    guard FileManager.default.isExecutableFile(atPath: path) else { throw TestData.Missing("\(name) at \(path)") }
    return path
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

  /// Returns the full path of a program in `PATH` or in the project's own `.tools/venv`.
  ///
  /// If it is not installed, the current test is skipped; see ``missing(_:remedy:)``.
  @discardableResult
  public static func required(_ name: String) throws -> String {
    if let path = find(name) { return path }
    try missing(name, remedy: "make test installs it")
  }

  /// Skips the current test if this machine does not allow the namespaces of a sandbox.
  public static func requireSandbox() throws {
    let probe = try run(try required("bwrap"), ["--unshare-all", "--ro-bind", "/", "/", "/bin/true"])
    if probe.status != 0 { try skip("namespaces of a sandbox are needed") }
  }

  /// Returns the Python interpreter of the project's virtual environment, if it has a module.
  ///
  /// If it does not, the current test is skipped; see ``missing(_:remedy:)``.
  public static func python(with module: String) throws -> String {
    let python = TestData.projectRoot + "/.tools/venv/bin/python3"
    if FileManager.default.isExecutableFile(atPath: python),
      try run(python, ["-c", "import \(module)"]).status == 0
    {
      return python
    }
    try missing("Python module \(module)", remedy: "make test installs it")
  }

  /// Whether a program is installed. Unlike ``required(_:)``, it skips nothing.
  public static func has(_ name: String) -> Bool { find(name) != nil }

  private static func find(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let folders = [TestData.projectRoot + "/.tools/venv/bin"] + path.split(separator: ":").map(String.init)
    return folders.map { $0 + "/" + name }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Skips the current test, or the current case of a test with arguments, because the machine lacks something.
  ///
  /// - Parameters:
  ///   - what: the missing program or data.
  ///   - remedy: instructions to install it.
  /// - Throws: in CI, where nothing may be missing, ``TestData/Missing``, so that the test fails.
  public static func missing(_ what: String, remedy: String) throws -> Never {
    guard !TestData.isCI, Test.current != nil else { throw TestData.Missing(what) }
    try skip("\(what) is missing (\(remedy))")
  }

  /// Skips the current test, or the current case of a test with arguments, also in CI.
  public static func skip(_ reason: String) throws -> Never {
    // scripts/test.sh counts these lines, because the framework reports no skipped cases of tests with arguments.
    print("skipped: \(Test.current?.name ?? "a test()"): \(reason)")
    try Test.cancel("\(reason)")
  }
}

extension Trait where Self == ConditionTrait {
  /// For a test whose arguments are read from the test data. Without the data the test is skipped; in CI it runs and
  /// fails.
  public static var needsTestData: Self {
    .enabled(
      if: TestData.isCI || TestData.root != nil, "the test data is missing (OBDGATE_TEST_DATA names its folder)")
  }

  /// For a test that only root can run.
  public static var needsRoot: Self { .enabled(if: geteuid() == 0, "root is needed") }
}
