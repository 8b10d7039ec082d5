import Foundation
import Synchronization

/// Heap allocations and peak memory of a program run under `Tests/Support/allocation-counter.c`.
///
///     let measured = try MeasuredRun.of(obdgate, ["bench", "--iterations", "10"])
///     #expect(measured.peakKiB < 30 * 1024)
public struct MeasuredRun: Sendable {
  /// Allocations of one thread since its start.
  public struct Thread: Sendable {
    public let id: Int
    public let name: String
    public let allocations: Int
  }

  public let result: Tool.Result
  /// The counts of each thread when the program ended.
  public let threads: [Thread]
  /// Maximum of the resident memory, in KiB.
  public let peakKiB: Int

  /// Total allocations of all threads.
  public var allocations: Int { threads.reduce(0) { $0 + $1.allocations } }

  /// The error that the run left no report. The program was killed, or it is linked statically and so did not load the
  /// counter.
  public struct NoReport: Error, CustomStringConvertible {
    public let program: String
    public let status: Int32
    public let stderr: String
    public var description: String { "\(program): no allocation report (status \(status)): \(stderr)" }
  }

  /// Runs a program to its end and counts its allocations. The parameters are those of
  /// ``Tool/run(_:_:stdin:environment:directory:limit:)``.
  public static func of(
    _ program: String, _ arguments: [String] = [], stdin: [UInt8]? = nil, environment: [String: String] = [:],
    directory: String? = nil, limit: Duration = .seconds(120)
  ) throws -> MeasuredRun {
    let scratch = try ScratchFolder()
    let report = scratch.file("counts")
    var environment = environment
    environment["LD_PRELOAD"] = try counter()
    environment["ALLOCATION_COUNTS"] = report
    let result = try Tool.run(
      program, arguments, stdin: stdin, environment: environment, directory: directory, limit: limit)
    guard let text = FileManager.default.contents(atPath: report) else {
      throw NoReport(program: program, status: result.status, stderr: result.errors)
    }
    return try MeasuredRun(result: result, program: program, report: String(decoding: text, as: UTF8.self))
  }

  /// Reads the last block of the report.
  private init(result: Tool.Result, program: String, report: String) throws {
    var threads: [Thread] = []
    var peak: Int?
    for line in report.split(separator: "\n") {
      let words = line.split(separator: " ")
      switch words.first {
      case "thread":
        // A new block begins, which replaces the values of the one before.
        if peak != nil { (threads, peak) = ([], nil) }
        guard words.count >= 4, let id = Int(words[1]), let count = Int(words[words.count - 1]) else { continue }
        threads.append(Thread(id: id, name: words[2..<(words.count - 1)].joined(separator: " "), allocations: count))
      case "peak": peak = words.last.flatMap { Int($0) }
      default: break
      }
    }
    guard let peak else { throw NoReport(program: program, status: result.status, stderr: result.errors) }
    self.result = result
    self.threads = threads
    self.peakKiB = peak
  }

  private static let built = Mutex<String?>(nil)

  /// Returns the path of the counting library. It is built once in each test run, by the C compiler of the Swift
  /// toolchain.
  public static func counter() throws -> String {
    try built.withLock { path in
      if let path { return path }
      let source = TestData.projectRoot + "/Tests/Support/allocation-counter.c"
      let library = FileManager.default.temporaryDirectory.appendingPathComponent(
        "obdgate-allocation-counter-\(ProcessInfo.processInfo.processIdentifier).so"
      ).path
      let compiled = try Tool.run(
        "clang", ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", source, "-o", library])
      guard compiled.status == 0 else {
        throw Tool.Failure.system("clang", reason: compiled.errors)
      }
      path = library
      return library
    }
  }
}
