import Foundation
import TestKit
import Testing

/// The Makefile selects the tests of each run only by the names of their targets.
@Suite struct TestRunTests {
  /// The targets of the Makefile that run tests, and how many runs each of them makes.
  static let makeTargets = ["test": 4, "test-fairness": 1, "test-packages": 1]

  @Test func every_test_target_belongs_to_exactly_one_run_of_the_makefile() throws {
    let runs = try Self.makeTargets.flatMap { target, count in
      let runs = try Self.runs(of: target)
      #expect(runs.count == count, "make \(target): \(runs)")
      return runs
    }
    let targets = try PackageDescription.read().targets.filter { $0.type == "test" }.map(\.name)
    try #require(targets.contains("ArchitectureTests"))
    for target in targets {
      let chosen = try runs.filter { try $0.chooses("\(target).SomeTests/some_test()/SomeTests.swift:1:1") }
      #expect(chosen.count == 1, "\(target) is in \(chosen)")
    }
    for run in runs {
      #expect(try targets.contains { try run.chooses("\($0).") }, "\(run) runs no test target")
    }
  }

  @Test func ci_runs_make_test() throws {
    #expect(try ProjectTree.text(".ci/run").contains(/\n *step [^\n]* make test\n/))
  }

  /// A `--filter` that matches nothing runs nothing and succeeds.
  @Test func filters_name_suites_or_kinds_of_targets_that_exist() throws {
    let files = try ProjectTree.files()
    let suites = Set(
      try files.filter { $0.hasPrefix("Tests/") && $0.hasSuffix(".swift") }.flatMap { file in
        try ProjectTree.text(file).matches(of: /(?:struct|class|actor) ([A-Za-z0-9]+Tests)\b/).map { String($0.1) }
      })
    for file in files where file == "Makefile" || file.hasSuffix(".md") || file.hasPrefix("scripts/") {
      for filter in try ProjectTree.text(file).matches(of: /--(?:filter|skip) '?([A-Za-z0-9|.]+Tests)\b/) {
        for name in filter.1.split(separator: "|") {
          let suite = name.split(separator: ".").last.map(String.init) ?? ""
          #expect(suites.contains(suite), "\(file): no suite \(name)")
        }
      }
    }
  }

  /// Runs the test script with a `swift` that is replaced by a script that prints lines of the test library.
  private static func run(printing lines: [String], isCI: Bool) throws -> Tool.Result {
    let scratch = try ScratchFolder()
    try scratch.write("lines", lines.joined(separator: "\n") + "\n")
    let program = try scratch.write("swift", "#!/bin/sh\ncat \(scratch.path)/lines\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return try Tool.run(
      "bash", [TestData.projectRoot + "/scripts/test.sh", "1"],
      environment: ["PATH": "\(scratch.path):\(path)", "CI": isCI ? "true" : "", "FAILURES": ""])
  }

  @Test func skipped_tests_are_counted_by_reason() throws {
    let lines = [
      #"➜ Test one() skipped: "root is needed""#, "◇ Test other(_:) started.",
      "skipped: other(_:): gpsd is missing (make test installs it)", #"➜ Test three() skipped: "root is needed""#,
    ]
    let result = try Self.run(printing: lines, isCI: false)
    #expect(result.status == 0)
    #expect(result.output.contains("skipped: 3, because:\n      2 root is needed\n      1 gpsd is missing"))
  }

  @Test func a_skip_for_an_unlisted_reason_fails_in_ci() throws {
    let listed = try Self.run(printing: [#"➜ Test one() skipped: "root is needed""#], isCI: true)
    #expect(listed.status == 0, "\(listed.output)")
    let unlisted = try Self.run(
      printing: [#"➜ Test one() skipped: "root is needed""#, #"➜ Test two() skipped: "no time""#], isCI: true)
    #expect(unlisted.status == 1)
    #expect(unlisted.output.contains("error: a test was skipped for a reason that is not in .ci/skips: no time\n"))
    #expect(!unlisted.output.contains("skips: root"))
  }

  /// The tests that one command of the Makefile selects.
  struct Run: CustomStringConvertible {
    let filter: String?
    let skip: String?

    var description: String { "--filter \(filter ?? "(all)") --skip \(skip ?? "(none)")" }

    /// - Parameter test: its ID, as `swift test` matches it: module, suite, function and place.
    func chooses(_ test: String) throws -> Bool {
      try filter.map { try test.contains(Regex($0)) } ?? true
        && !(skip.map { try test.contains(Regex($0)) } ?? false)
    }
  }

  /// Returns the runs that `make TARGET` would start.
  private static func runs(of target: String) throws -> [Run] {
    let make = try Tool.run(
      "make", ["--dry-run", target], environment: ["MAKEFLAGS": "", "MAKELEVEL": ""],
      directory: TestData.projectRoot)
    try #require(make.status == 0, "\(make.errors)")
    return make.lines.filter { $0.contains("scripts/test.sh") || $0.contains("swift test") }.map { line in
      Run(
        filter: line.firstMatch(of: /--filter '([^']+)'/).map { String($0.1) },
        skip: line.firstMatch(of: /--skip '([^']+)'/).map { String($0.1) })
    }
  }
}
