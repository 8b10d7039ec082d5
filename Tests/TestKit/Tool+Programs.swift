import Foundation

extension Tool {
  /// The folder of the test bundle that runs now; SwiftPM puts the programs beside it.
  private static let productFolder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path

  /// The built `obdgate`: `OBDGATE_PROGRAM`, else the one beside the test bundle; nil where it is not built.
  ///
  ///     guard let obdgate = try Tool.obdgate else { return }
  public static var obdgate: String? {
    get throws {
      try built("OBDGATE_PROGRAM", "obdgate", at: productFolder + "/obdgate")
    }
  }

  /// The built `obdgated`: `OBDGATED_PROGRAM`, else the one beside the test bundle; nil where it is not built.
  public static var obdgated: String? {
    get throws { try built("OBDGATED_PROGRAM", "obdgated", at: productFolder + "/obdgated") }
  }

  /// The built `fleetstore`: `FLEETSTORE_PROGRAM`, else the one beside the test bundle; nil where it is not built.
  public static var fleetstore: String? {
    get throws { try built("FLEETSTORE_PROGRAM", "fleetstore", at: productFolder + "/fleetstore") }
  }

  /// The release build of `obdgate`, for whatever is measured: `OBDGATE_RELEASE`, else `.build/release/obdgate`.
  public static var releaseObdgate: String? {
    get throws {
      try built("OBDGATE_RELEASE", "release build of obdgate", at: TestData.projectRoot + "/.build/release/obdgate")
    }
  }

  private static func built(_ variable: String, _ name: String, at path: String) throws -> String? {
    let path = ProcessInfo.processInfo.environment[variable] ?? path
    if FileManager.default.isExecutableFile(atPath: path) { return path }
    return try missing(name, remedy: "make test builds it")
  }

  /// The full path of a program in `PATH` or in the project's own `.tools/venv`; nil, said in one line, where it is
  /// not installed; an error in CI.
  ///
  ///     guard let jq = try Tool.required("jq") else { return }
  public static func required(_ name: String) throws -> String? {
    if let path = find(name) { return path }
    return try missing(name, remedy: "make test installs it")
  }

  /// The interpreter of the project's virtual environment if it has that module; nil, said in one line, where not; an
  /// error in CI.
  public static func python(with module: String) throws -> String? {
    let python = TestData.projectRoot + "/.tools/venv/bin/python3"
    if FileManager.default.isExecutableFile(atPath: python),
      try run(python, ["-c", "import \(module)"]).status == 0
    {
      return python
    }
    return try missing("Python module \(module)", remedy: "make test installs it")
  }

  /// True where the program is installed; says nothing.
  public static func has(_ name: String) -> Bool { find(name) != nil }

  private static func find(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let folders = [TestData.projectRoot + "/.tools/venv/bin"] + path.split(separator: ":").map(String.init)
    return folders.map { $0 + "/" + name }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// One line for people; in CI, where nothing may be lacking, an error.
  static func missing(_ what: String, remedy: String) throws -> String? {
    if TestData.isCI { throw TestData.Missing(what) }
    print("skipped: \(what) is missing (\(remedy))")
    return nil
  }
}
