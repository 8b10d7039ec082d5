import Foundation
import Glibc
import TestKit

/// A Debian that systemd has booted, in a container with a temporary file system.
///
///     let machine = try BootedImage(showing: folder)
///     #expect(try machine.run("systemctl", "is-active", "obdgated").output == "active\n")
final class BootedImage: @unchecked Sendable {
  /// Path of the shared folder in the container.
  static let shown = "/shown"

  private let container: RunningProgram
  /// The process id of the container's first process on this machine.
  private let first: pid_t

  /// Boots a container. If this is not possible, the current test is skipped.
  ///
  /// - Parameter folder: a folder that the container can read.
  init(showing folder: String) throws {
    let image = TestData.projectRoot + "/.tools/image"
    let nspawn = try Tool.required("systemd-nspawn")
    try Tool.required("nsenter")
    try Self.requireRoot(and: image)
    container = try RunningProgram(
      nspawn,
      [
        "--quiet", "--directory", image, "--volatile=overlay", "--boot", "--register=no", "--keep-unit",
        "--console=pipe", "--private-network", "--machine=obdgate-\(UUID().uuidString.prefix(8).lowercased())",
        "--bind-ro=\(folder):\(Self.shown)",
      ])
    do {
      first = try Self.awaitFirst(of: container.pid)
      try wait(for: "systemctl", "is-system-running") { ["running\n", "degraded\n"].contains($0.output) }
    } catch {
      container.kill()
      throw error
    }
  }

  private static func requireRoot(and image: String) throws {
    guard geteuid() == 0, FileManager.default.fileExists(atPath: image + "/usr/bin") else {
      try Tool.missing("root or \(image)", remedy: "make test-packages as root")
    }
  }

  /// Powers the container off. Processes that do not end are killed.
  func end() {
    _ = try? run("systemctl", "poweroff", "--force")
    if (try? container.end(within: .seconds(60))) == nil { container.kill() }
  }

  /// Runs a command in the container, as root.
  @discardableResult
  func run(_ command: String..., limit: Duration = .seconds(120)) throws -> Tool.Result { try run(command, limit) }

  private func run(_ command: [String], _ limit: Duration) throws -> Tool.Result {
    try Tool.run(
      "nsenter",
      [
        "--target", "\(first)", "--all", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root",
        "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8",
      ] + command, limit: limit)
  }

  /// Runs a line of shell in the container, and expects that it succeeds.
  @discardableResult
  func shell(_ line: String, limit: Duration = .seconds(120)) throws -> String {
    let ran = try run(["sh", "-c", line], limit)
    guard ran.status == 0 else { throw Failed(description: "\(line): \(ran.status): \(ran.output)\(ran.errors)") }
    return ran.output.trimmingCharacters(in: .newlines)
  }

  /// Repeats a command until its result fulfils a condition.
  @discardableResult
  func wait(
    for command: String..., within limit: Duration = .seconds(90), until isWanted: (Tool.Result) -> Bool
  ) throws -> Tool.Result {
    let deadline = ContinuousClock.now + limit
    while true {
      let ran = try run(command, .seconds(60))
      if isWanted(ran) { return ran }
      guard ContinuousClock.now < deadline else {
        let journal = try run("journalctl", "--no-pager", "-n", "60")
        throw Failed(description: "\(command): still \(ran.output)\(ran.errors)\n\(journal.output)")
      }
      poll(nil, 0, 50)
    }
  }

  /// Returns a property of a unit.
  func property(_ name: String, of unit: String) throws -> String {
    try shell("systemctl show --value -p \(name) \(unit)")
  }

  /// Returns the process id on this machine for one in the container.
  func outside(_ inside: String) throws -> pid_t {
    for entry in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
      guard let pid = pid_t(entry), let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
        let numbers = status.split(separator: "\n").first(where: { $0.hasPrefix("NSpid:") })?
          .split(whereSeparator: \.isWhitespace), numbers.last.map(String.init) == inside,
        Self.space(of: pid) == Self.space(of: first)
      else { continue }
      return pid
    }
    throw Failed(description: "no process \(inside)")
  }

  private static func space(of pid: pid_t) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/ns/pid")
  }

  private static func awaitFirst(of nspawn: pid_t) throws -> pid_t {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      let children = try String(contentsOfFile: "/proc/\(nspawn)/task/\(nspawn)/children", encoding: .utf8)
      let named = children.split(separator: " ").compactMap { pid_t($0) }.first {
        (try? String(contentsOfFile: "/proc/\($0)/comm", encoding: .utf8)) == "systemd\n"
      }
      if let named { return named }
      poll(nil, 0, 20)
    }
    throw Failed(description: "the container does not boot")
  }

  struct Failed: Error, CustomStringConvertible { let description: String }
}
