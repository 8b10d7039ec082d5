import Foundation
import Glibc
import TestKit
import Testing

@testable import DaemonTestKit

/// A daemon with a socket in a separate folder.
final class Watched {
  /// The options of curl for following records.
  static let follower = ["-sS", "-N", "--max-time", "600"]
  /// Settings of a daemon that stores its records.
  static let kept =
    #", "stateDirectory": "@", "spool": {"commitPeriod": 0.2}, "sinks": [{"type": "file", "path": "@/r.jsonl"}]"#

  let scratch: ScratchFolder
  let run: DaemonRun
  var socket: String { scratch.file("d.sock") }

  /// Starts a daemon with one adapter.
  ///
  /// - Parameters:
  ///   - settings: members of the configuration, in which `@` is the folder.
  ///   - car: the scenario of the adapter.
  init(_ settings: String = "", environment: [String: String] = [:], car: String = Scenarios.car()) throws {
    scratch = try ScratchFolder()
    run = try Self.start(settings, in: scratch.path, environment, car: car)
  }

  /// Starts a daemon whose status socket is in a folder, and waits until it answers.
  static func start(
    _ settings: String, in folder: String, _ environment: [String: String] = [:], car: String = Scenarios.car()
  ) throws -> DaemonRun {
    let socket = folder + "/d.sock"
    let text = settings.replacingOccurrences(of: "@", with: folder)
    let run = try DaemonRun(
      [car],
      settings: #""status": {"socket": "\#(socket)"}, "poll": {"defaultPeriod": 0.1}, "record": {"period": 0.1}"#
        + text,
      environment: environment)
    try awaitAnswer(at: socket)
    return run
  }

  /// Waits until a daemon answers on a socket. The socket exists a little earlier, and longer if its daemon was killed.
  static func awaitAnswer(at socket: String) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      let isThere = FileManager.default.fileExists(atPath: socket)
      if isThere, try curl(["--unix-socket", socket, "-o", "/dev/null", "http://d/status"]).status == 0 { return }
      poll(nil, 0, 5)
    }
    throw DaemonRun.Missing(what: "an answer at \(socket)")
  }

  func get(_ path: String, _ options: [String] = []) throws -> Tool.Result {
    try Self.curl(["--unix-socket", socket, "http://localhost" + path] + options)
  }

  func status() throws -> [String: Any] { try Self.status(at: socket) }

  static func status(at socket: String) throws -> [String: Any] {
    let answer = try curl(["--unix-socket", socket, "http://localhost/status"])
    return try #require(
      try? JSONSerialization.jsonObject(with: Data(answer.stdout)) as? [String: Any],
      "\(answer.status) \(answer.errors)")
  }

  /// Requests the status until it fulfils a condition, or until a minute has passed.
  static func status(at socket: String, until isWanted: ([String: Any]) -> Bool) throws -> [String: Any] {
    let deadline = ContinuousClock.now + .seconds(60)
    while true {
      let answer = try status(at: socket)
      if isWanted(answer) || .now >= deadline { return answer }
      poll(nil, 0, 50)
    }
  }

  func follow() throws -> RunningProgram {
    try RunningProgram(
      try Tool.required("curl"), Self.follower + ["--unix-socket", socket, "http://d/records"])
  }

  static func curl(_ arguments: [String]) throws -> Tool.Result {
    try Tool.run(try Tool.required("curl"), ["-sS", "--max-time", "60"] + arguments)
  }
}

extension Tool.Result {
  /// The standard output, which is the body that curl received.
  var text: String { output }
}
