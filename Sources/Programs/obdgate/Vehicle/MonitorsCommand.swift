import ArgumentParser
import Failures

/// `obdgate monitors`: shows which on-board monitors are complete.
struct MonitorsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitors",
    abstract: "Shows which on-board monitors have run since the codes were cleared, and in this drive.")

  @OptionGroup var options: VehicleOptions

  func run() throws {
    do {
      let answer = try options.run("monitors").query(.monitors)
      let monitors = answer.of("monitors")
      var output = OutputStream()
      for record in monitors {
        if options.json {
          try output.write(record.bytes.span)
        } else {
          for line in Self.lines(of: record) { try output.write(line) }
        }
      }
      try output.flush()
      if let failure = answer.failure { throw failure }
      if monitors.isEmpty { throw Failure(.failed, "no ECU of the vehicle reports monitors (PID 01)") }
    } catch let failure as Failure {
      throw failure.reported(by: "monitors")
    }
  }

  /// Returns three text lines about the monitors of one ECU: how many are complete, the names of the complete ones, and
  /// the names of the others. The record states whether this is since the codes were cleared or in this driving cycle.
  private static func lines(of record: FinishedRecord) -> [String] {
    let complete = record.strings("complete") ?? []
    let incomplete = record.strings("incomplete") ?? []
    let ecu = record["ecu"]?.plainText ?? "vehicle"
    let scope = record["scope"]?.plainText == "thisCycle" ? "in this driving cycle" : "since the codes were cleared"
    let ignition = record["ignition"].map { " (\($0.plainText) ignition)" } ?? ""
    return [
      "\(ecu)\(ignition), \(scope): \(complete.count) of \(complete.count + incomplete.count) complete",
      "  complete    \(complete.isEmpty ? "none" : complete.joined(separator: ", "))",
      "  incomplete  \(incomplete.isEmpty ? "none" : incomplete.joined(separator: ", "))",
    ]
  }
}
