import Foundation
import TestKit
import Testing

/// A program of `Tests/Support` in front of a peer. It manipulates the traffic as requested; initially it does nothing
/// (`pass`).
final class SwitchedProxy {
  private let program: RunningProgram
  private let file: String
  private let folder: ScratchFolder

  init(_ script: String, _ port: ReservedPort, to peer: UInt16) throws {
    folder = try ScratchFolder()
    file = try folder.write("what", "pass")
    program = try RunningProgram(
      try Tool.required("python3"),
      [TestData.projectRoot + "/Tests/Support/" + script, "\(port.number)", "\(peer)", file])
    try program.line(within: .seconds(60)) { $0 == "now pass" }
  }

  deinit { program.kill() }

  /// Sets the behaviour for new connections, and closes present ones.
  func set(_ what: String) throws {
    try folder.write("what", what)
    program.send(SIGUSR1)
    try program.line(within: .seconds(60)) { $0 == "now \(what)" }
  }

  /// Waits until a connection was manipulated.
  func wait(for what: String) throws { try program.line(within: .seconds(60)) { $0 == "met \(what)" } }

  /// Returns the behaviours that a script offers, one list for each kind.
  static func abilities(of script: String) throws -> [[String]] {
    let ran = try Tool.run("python3", [TestData.projectRoot + "/Tests/Support/" + script, "0", "0", "none"])
    return ran.lines.map { $0.split(separator: " ").map(String.init) }
  }
}
