import Foundation
import Testing

extension SimulatedAnswers {
  /// The relation between telemetry records and poll cycles.
  enum Cadence {
    /// Each poll cycle is one record: `"record": {"on": "cycle"}`.
    case cycle
    /// `"record": {"period": 0.05}`: a record contains the last answers. A polling cycle takes at least 14 ms: 10 ms of
    /// the ECU, and 13 bytes there and 40 back at 115200 baud. Therefore, a record belongs to one of the four cycles
    /// after that of the previous record, or to the same cycle if only another value was answered.
    case period

    fileprivate var longestStep: Int { self == .cycle ? 1 : 4 }
    fileprivate var repeatsTurns: Bool { self == .period }
  }

  /// The maximum time of which a killed daemon may lose the records, s. It is longer than the time to wait for a commit
  /// (0.2 s, and the time of a busy disk).
  private static let longestLoss = 10.0

  /// Describes the faults of the telemetry among these records: values that the car did not send, and answers that are
  /// missing.
  ///
  /// - In the order of `seq`, records correspond to polling cycles in the order in which the car answered. Each value
  ///   belongs to its cycle.
  /// - From the first cycle of a session on, none is missing, as far as ``Cadence`` requires it. Only the end of a
  ///   session may be missing: the cycles after the last commit before a kill. A `gap` or an adapter that was `lost`
  ///   then reports it between the records of both sides. Without these, one cycle may be missing, whose answer a
  ///   stopping daemon did not read.
  /// - An abandoned cycle may be missing anywhere. A lost prompt is reported, at the latest at the end of the minute.
  func faults(in records: [KeptRecord], _ cadence: Cadence) throws -> [String] {
    let records = records.sorted { $0.seq < $1.seq }
    guard Set(records.map(\.epoch)).count == 1 else { return ["records of \(Set(records.map(\.epoch)).count) epochs"] }
    let excuses = records.filter {
      $0.type == "gap" || ($0.type == "adapter" && $0.object["event"] as? String == "lost")
    }
    .map(\.seq)
    var faults: [String] = []
    var (session, turn, former) = (0, -1, 0)
    var hasGivenUp = false

    /// Reports the remaining cycles of the sessions before the next one, which have no record.
    func pass(to next: Int, before seq: Int) {
      let isTold = excuses.contains { former < $0 && $0 < seq }
      for passed in session..<next {
        let missing = sessions[passed].dropFirst(passed == session ? turn + 1 : 0)
        guard let first = missing.first, let last = missing.last else { continue }
        if !isTold, missing.count(where: { !$0.isGivenUp }) > 1 {
          faults.append(
            "\(missing.count) turns from \(first.time) s on are missing behind seq \(former), and nothing says so")
        }
        if last.time - first.time > Self.longestLoss {
          faults.append("turns from \(first.time) to \(last.time) s are missing behind seq \(former)")
        }
      }
    }

    for record in records where record.type == "telemetry" {
      let told = try record.object.filter { Self.keys.contains($0.key) }.mapValues { try #require($0 as? Double) }
      guard told["rpm"] != nil else { continue }
      if let next = place(of: told, behind: turn, session, cadence) {
        if next > turn, sessions[session][(turn + 1)..<next].contains(where: \.isGivenUp) { hasGivenUp = true }
        turn = next
      } else if let next = sessions.indices.dropFirst(session + 1).first(where: {
        place(of: told, behind: -1, $0, cadence) != nil
      }) {
        pass(to: next, before: record.seq)
        (session, turn) = (next, place(of: told, behind: -1, next, cadence) ?? 0)
      } else {
        let next =
          session < sessions.count && turn + 1 < sessions[session].count ? "\(sessions[session][turn + 1])" : "nothing"
        return faults + ["seq \(record.seq) says \(told) behind seq \(former); the car then answered \(next)"]
      }
      former = record.seq
    }
    pass(to: sessions.count, before: .max)
    let isTold = !excuses.isEmpty || records.contains { $0.object["reason"] as? String == "promptLost" }
    return faults + (hasGivenUp && !isTold ? ["answers were abandoned, and nothing reports it"] : [])
  }

  /// Returns the cycle of a session to which a record belongs.
  ///
  /// - Parameter turn: the cycle of the previous record; -1 for the first record of the session.
  private func place(of told: [String: Double], behind turn: Int, _ session: Int, _ cadence: Cadence) -> Int? {
    guard session < sessions.count else { return nil }
    let all = sessions[session]
    var left = cadence.longestStep
    for next in all.indices.dropFirst(turn + 1) {
      guard left > 0 else { break }
      if says(told, all[next]) { return next }
      if !all[next].isGivenUp { left -= 1 }
    }
    return cadence.repeatsTurns && turn >= 0 && says(told, all[turn]) ? turn : nil
  }

  private func says(_ told: [String: Double], _ cycle: Turn) -> Bool {
    told.allSatisfy { key, value in
      cycle.told[key]?.contains { abs($0 - value) < 0.000_1 } ?? false
    }
  }
}
