import Foundation
import TestKit

@testable import DaemonTestKit

/// The end of the output of a daemon whose adapter is removed for good. When a daemon ends, it waits for its sinks only
/// briefly, and a busy disk takes longer. Tests that need the complete output therefore wait for this record first.
enum EndedDrive {
  /// The reason in the last record: no process listens on the adapter's port, which is reported once.
  static let last = #""reason":"refused""#

  /// Waits until each of these files has the last record and all records before it.
  static func wait(for files: [String], of daemon: RunningProgram) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while !files.allSatisfy(isWhole) {
      guard .now < deadline else { throw DaemonRun.Missing(what: "a whole drive in \(files): \(daemon.errorLines)") }
      poll(nil, 0, 20)
    }
  }

  /// Whether a file is complete. Events overtake telemetry, so the last record may be there before others, and the last
  /// line may be incomplete.
  private static func isWhole(_ file: String) -> Bool {
    let lines = ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n")
    func number(_ line: Substring) -> Int? {
      let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["seq"] as? Int
    }
    guard let end = lines.first(where: { $0.contains(last) }).flatMap(number) else { return false }
    return Set(lines.compactMap(number)).isSuperset(of: 1...end)
  }
}
