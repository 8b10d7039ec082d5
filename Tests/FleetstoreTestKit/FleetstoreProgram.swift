import Foundation
import TestKit

/// The `fleetstore` program of the same build.
enum FleetstoreProgram {
  static var path: String {
    get throws {
      let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
      let path = ProcessInfo.processInfo.environment["FLEETSTORE_PROGRAM"] ?? folder + "/fleetstore"
      guard FileManager.default.isExecutableFile(atPath: path) else { throw TestData.Missing("fleetstore") }
      return path
    }
  }

  static func run(_ arguments: [String], in folder: String, environment: [String: String] = [:]) throws -> Tool.Result {
    try Tool.run(try path, arguments, environment: environment, directory: folder)
  }
}

/// `fleetstore serve` on a free port.
final class ServedStore {
  let program: RunningProgram
  let port: Int
  /// The administrator's token, if this was the first start.
  let token: String?

  init(_ arguments: [String], isFirst: Bool = true, environment: [String: String] = [:]) throws {
    program = try RunningProgram(
      try FleetstoreProgram.path, ["serve", "--listen", "127.0.0.1:0"] + arguments, environment: environment)
    do {
      let line = try program.errorLine(within: .seconds(60)) { $0.contains("listening on") }.text
      guard let number = line.split(separator: ":").last.flatMap({ Int($0) }) else {
        throw TestData.Missing("the port in: \(line)")
      }
      port = number
      token = isFirst ? try program.line(within: .seconds(60)) { $0.hasPrefix("fst_") }.text : nil
    } catch {
      program.kill()
      throw error
    }
  }

  /// Sends a request with curl. The token is not visible in the process table.
  func request(_ path: String, token: String?, _ arguments: [String] = []) throws -> String {
    let configuration = token.map { "header = \"Authorization: Bearer \($0)\"\n" } ?? ""
    return try Tool.run(
      "curl", ["-sS", "--config", "-"] + arguments + ["http://127.0.0.1:\(port)\(path)"],
      stdin: Array(configuration.utf8)
    ).output
  }

  /// Returns the program's memory, KiB; see ``RunningProgram/memoryKiB(_:)``.
  func memoryKiB(_ key: String = "VmRSS") throws -> Int { try program.memoryKiB(key) }
}
