extension DaemonStatus {
  /// A problem that the daemon's status shows, or a remark about it.
  struct Trouble: Equatable {
    /// Whether this is a problem: records are lost or delayed, or no data are received. If `false`, it is a remark.
    var isSerious: Bool
    var text: String
  }

  /// All problems, and after them all remarks.
  var troubles: [Trouble] {
    var serious: [String] = threads.filter(\.isStuck).map { "\($0.name) is stuck" }
    var others: [String] = []
    for sink in sinks {
      let oldest = sink.oldestAge.map { "; its oldest record waits for \(Figures.duration($0))" } ?? ""
      switch sink.state {
      case "failing": serious.append("the sink \(sink.name) fails\(Self.because(sink.reason))\(oldest)")
      case "over":
        others.append("the sink \(sink.name) accepts no records until the next start\(Self.because(sink.reason))")
      default: break
      }
      if let rejected = sink.rejected, rejected > 0 {
        serious.append(
          "the sink \(sink.name): \(Figures.grouped(rejected)) records were rejected for good since the start"
            + Self.because(sink.rejectionReason))
      }
    }
    if let spool, spool.state == "memory" {
      if let reason = spool.reason {
        serious.append("the spool is only in memory: \(reason); its records are lost when the power fails")
      } else {
        others.append(
          "the spool is only in memory: no stateDirectory is configured; records that sinks lack are lost when the "
            + "daemon ends")
      }
    }
    for line in adapters.map(\.line) + receivers.map(\.line) where line.state == "lost" {
      let age = line.stateAge.map { " for \(Figures.duration($0))" } ?? ""
      serious.append("\(line.device) is lost\(age)\(Self.because(line.reason))")
    }
    for line in adapters.map(\.line) + receivers.map(\.line) where line.state == "searching" {
      let age = line.stateAge.map { " for \(Figures.duration($0))" } ?? ""
      others.append("\(line.device) is not connected: searching\(age)\(Self.because(line.reason))")
    }
    if timeQuality == "unset" { others.append("the date is unknown: records have no time yet") }
    if let lost = records.lost, lost > 0 {
      others.append("\(Figures.grouped(lost)) records were lost since the start\(Self.because(records.losses))")
    }
    return serious.map { Trouble(isSerious: true, text: $0) } + others.map { Trouble(isSerious: false, text: $0) }
  }

  private static func because(_ reason: String?) -> String { reason.map { ": \($0)" } ?? "" }
}

extension DaemonStatus.Records {
  /// The causes of lost records, with the number of records for each cause, as text; `nil` if there are none.
  var losses: String? {
    let reasons = lostByReason.filter { $0.count > 0 }.map { reason in
      // The numbers for these two causes are upper bounds (docs/Operations.md).
      let bound = ["powerLoss", "processKilled"].contains(reason.name) ? "at most " : ""
      return "\(reason.name) \(bound)\(Figures.grouped(reason.count))"
    }
    return reasons.isEmpty ? nil : reasons.joined(separator: ", ")
  }
}
