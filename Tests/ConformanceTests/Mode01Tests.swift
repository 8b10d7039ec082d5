import Foundation
import OBDWire
import TestKit
import Testing

/// Real answers to service 01 of 14 vehicles, read by the whole reader: framing, reassembly, table.
///
/// OBDb's expected values are the reference. If its formula differs from SAE J1979-DA, `clause` names the text of the
/// standard that decides. Every number and flag of rows that a second decoder confirmed (`agree`) must be equal, except
/// bits that the standard reserves and OBDb names.
struct Mode01Tests {
  private struct Row {
    var vehicle: String
    var command: String
    var pid: UInt8
    var lines: [String]
    var expected: [String: Any]
    var isAgreed: Bool
  }

  private struct Figures {
    var values = 0
    var equal = 0
    /// The number of values in rows that a second decoder confirmed.
    var agreed = 0
    var agreedEqual = 0
    var agreedDecided = 0
    var agreedNone = 0
    var absent = 0
    var decided: [String: Int] = [:]
    var wrong: [String] = []
  }

  @Test func every_confirmed_value_is_read() throws {
    let rows = try rows()
    var figures = Figures()
    for row in rows { judge(row, &figures) }
    let clauses = figures.decided.sorted { $0.key < $1.key }.map { "[\($0.key): \($0.value)]" }
    print(
      "obd/obdb-mode01.jsonl: \(rows.count) rows; confirmed: \(figures.agreedEqual) of \(figures.agreed) values equal, "
        + "\(figures.agreedDecided) decided by a clause, \(figures.agreedNone) no value by a footnote; all: \(figures.equal) of \(figures.values), \(figures.absent) "
        + "absent as their support bit says; clauses: \(clauses.joined(separator: " "))")
    for line in figures.wrong.prefix(20) { print("  \(line)") }
    #expect(figures.wrong.isEmpty)
    #expect(figures.agreed > 15_000)
    #expect(figures.agreedEqual + figures.agreedDecided + figures.agreedNone == figures.agreed)
    #expect(figures.agreedDecided * 200 <= figures.agreed)
  }

  @Test func answers_to_other_questions_are_unexpected_and_give_no_reading() throws {
    let rows = try rows()
    var strays = 0
    var strayRows = 0
    for row in rows where !row.lines.contains(where: { $0.hasPrefix(">") }) {
      let found = read(row)
      let foreign = found.readings.filter { $0.service != 1 || $0.identifier != UInt16(row.pid) }
      #expect(foreign.isEmpty, "\(row.command) \(row.lines)")
      // A longer answer with the right PID contains another PID as well.
      let own = "41" + WireFindings.hex(UInt32(row.pid), digits: 2)
      let length = 4 + 2 * Int(saeParameterLengths[Int(row.pid)])
      let others = found.messages.count { !$0.payload.hasPrefix(own) || $0.payload.count > length }
      let unexpected = found.errors.count { $0.kind == .unexpected }
      #expect(unexpected == others, "\(row.command) \(row.lines)")
      strays += others
      if others > 0 { strayRows += 1 }
    }
    print("obd/obdb-mode01.jsonl: \(strays) answers to other questions in \(strayRows) rows, each refused")
    #expect(strays > 1_000)
  }

  @Test func dialogues_with_commands_between_give_each_reading_to_its_question() throws {
    let rows = try rows()
    var dialogues = 0
    for row in rows where row.lines.contains(where: { $0.hasPrefix(">") }) {
      dialogues += 1
      let found = read(row)
      // The row's own request comes first. Requests after `>` are part of the row.
      let questions = [row.command] + row.lines.filter { $0.hasPrefix(">") }
      for reading in found.readings {
        let pid = WireFindings.pid(reading.service, reading.identifier)
        #expect(questions.contains { $0.contains("." + pid) }, "\(pid) in \(row.lines)")
      }
      #expect(found.readings.contains { $0.service == 1 && $0.identifier == UInt16(row.pid) }, "\(row.lines)")
      let words = row.lines.count { ["CAN ERROR", "NO DATA", "ERR91"].contains($0) }
      #expect(found.errors.count { [.canError, .noData, .adapterError].contains($0.kind) } == words, "\(row.lines)")
    }
    #expect(dialogues > 0)
  }

  // MARK: Reading

  private func rows() throws -> [Row] {
    try TestData.objects("obd/obdb-mode01.jsonl").map { row in
      Row(
        vehicle: row["vehicle"] as? String ?? "", command: row["command_id"] as? String ?? "",
        pid: UInt8(row["pid"] as? String ?? "", radix: 16) ?? 0, lines: row["response"] as? [String] ?? [],
        expected: row["expected"] as? [String: Any] ?? [:], isAgreed: row["independent_check"] as? String == "agree")
    }
  }

  private func read(_ row: Row) -> WireFindings { .of(row.lines.joined(separator: "\r") + "\r", to: row.command) }

  // MARK: Judging

  fileprivate enum Verdict: Equatable {
    case equal
    case decided(String)
    /// A footnote of the standard says that this is no value.
    case none(String)
    case wrong(String)
  }

  private func judge(_ row: Row, _ figures: inout Figures) {
    let found = read(row)
    // If there are several answers, OBDb evaluated one of them, which is not named.
    let own = found.readings.filter { isAnswer($0, to: row) }
    let answers = Set(own.map(\.origin.line)).sorted().map { line in
      let named = own.filter { $0.origin.line == line }
        .map { ("\(saeSignals[Int($0.signal.rawValue)].name)", $0.value) }
      return Dictionary(named) { first, _ in first }
    }
    for (id, expected) in row.expected.sorted(by: { $0.key < $1.key }) {
      let isAbsent = (row.expected[OBDbNames.supportID(of: id)] as? NSNumber)?.doubleValue == 0
      if isAbsent {
        // A bit says that the value is not supported. If this applies to all ECUs, none may report a value.
        figures.absent += 1
        let shown = answers.filter { value(id, row, $0) != nil }
        if answers.count == 1, !shown.isEmpty { figures.wrong.append("\(row.command) \(id) shown: \(row.lines)") }
        continue
      }
      let verdicts = answers.map { judgement(of: id, expected, row, $0) }
      let best = verdicts.first { $0 == .equal } ?? verdicts.first { $0.isDecided } ?? verdicts.first { $0.isNone }
      count(best ?? verdicts.first ?? .wrong("no answer"), id, expected, row, &figures)
    }
  }

  private func isAnswer(_ reading: Reading, to row: Row) -> Bool {
    reading.service == 0x01 && reading.identifier == UInt16(row.pid)
  }

  private func count(_ verdict: Verdict, _ id: String, _ expected: Any, _ row: Row, _ figures: inout Figures) {
    figures.values += 1
    if row.isAgreed { figures.agreed += 1 }
    switch verdict {
    case .equal:
      figures.equal += 1
      if row.isAgreed { figures.agreedEqual += 1 }
    case .none(let footnote):
      figures.decided[footnote, default: 0] += 1
      if row.isAgreed { figures.agreedNone += 1 }
    case .decided(let clause):
      figures.decided[clause, default: 0] += 1
      if row.isAgreed { figures.agreedDecided += 1 }
    case .wrong(let what):
      figures.wrong.append("\(row.vehicle) \(row.command) \(id) = \(expected): \(what) in \(row.lines)")
    }
  }

  private func value(_ id: String, _ row: Row, _ answer: [String: Double]) -> Double? {
    let ignition = answer["monitorsIgnitionType"] ?? answer["drivingCycleMonitorsIgnitionType"]
    return OBDbNames.ours(pid: row.pid, id: id, compressionIgnition: ignition == 1).flatMap { answer[$0] }
  }

  private func judgement(of id: String, _ expected: Any, _ row: Row, _ answer: [String: Double]) -> Verdict {
    guard let value = value(id, row, answer) else {
      if let footnote = footnote(id, expected, row, answer) { return .none(footnote) }
      return clause(id, expected, nil, row, answer).map { .decided($0) } ?? .wrong("absent")
    }
    if let number = (expected as? NSNumber)?.doubleValue {
      // OBDb has the bit as it is sent. Readiness bits are sent inverted.
      if isClose(value, OBDbNames.isInverted(id) ? 1 - number : number) { return .equal }
      // The volts of PID 24 are 8 in 65,536 steps; OBDb's rounded divisor, 8,196 for 8,192, moves the fourth digit.
      if row.pid == 0x24, id == "O2S11_VOLT", isClose(value, number * 8_196 / 8_192) { return .equal }
    } else if let text = expected as? String {
      let code = row.pid == 0x12 && text == "OFF" ? 4 : OBDbNames.code(text)
      if code == value { return .equal }
    }
    return clause(id, expected, value, row, answer).map { .decided($0) } ?? .wrong("\(value)")
  }

  /// Returns the footnote of SAE J1979-DA by which the raw value that OBDb scales is no value.
  private func footnote(_ id: String, _ expected: Any, _ row: Row, _ answer: [String: Double]) -> String? {
    let number = (expected as? NSNumber)?.doubleValue
    switch (row.pid, id) {
    case (0x03, "FUELSYS2"):
      let isZero = (expected as? String).flatMap(OBDbNames.code) == 0
      return isZero && (answer["fuelSystem1Status"] ?? 0) != 0 ? "PID 03: no second fuel system" : nil
    case (0x4F, _), (0x50, _): return number == 0 ? "PIDs 4F, 50: 00 keeps the default scale" : nil
    case (0x14...0x1B, _) where id.hasPrefix("SHRTFT"):
      // FF, with OBDb's offset of -128 or with the standard's.
      guard let number, isClose(number, 71.21875) || isClose(number, 99.21875) else { return nil }
      return "PIDs 14-1B: FF is a sensor that is not used in trims"
    default: return nil
    }
  }

  /// Returns the clause of SAE J1979-DA that decides if OBDb has another value.
  private func clause(
    _ id: String, _ expected: Any, _ value: Double?, _ row: Row, _ answer: [String: Double]
  ) -> String? {
    let number = (expected as? NSNumber)?.doubleValue
    switch (row.pid, id) {
    case (0x14...0x1B, _) where id.hasPrefix("SHRTFT"):
      guard let number, let value, isClose(value, number + 28) else { return nil }
      return "PIDs 14-1B: trim is B × 100/128 − 100, not − 128"
    case (0x24, _), (0x34, _), (0x44, _), (0x5D, _):
      guard let number, let value, !row.isAgreed else { return nil }
      return (number == 1.99 && value > 1.99) || (number == -210 && value > -210 && value < 302)
        ? "OBDb prints its own limit" : nil
    case (0x9A, "EHEV_MODE"): return "PID 9A: the enhanced state is byte B"
    case (0x01, _), (0x41, _):
      let ignition = answer["monitorsIgnitionType"] ?? answer["drivingCycleMonitorsIgnitionType"]
      return ignition == 1 && value == nil ? "PIDs 01, 41: bit reserved under compression ignition" : nil
    default: return nil
    }
  }

  /// The tolerance is half a step of OBDb's last digit, and the difference between a full scale of 65,535 and of 65,536
  /// steps.
  private func isClose(_ value: Double, _ expected: Double) -> Bool {
    abs(value - expected) <= 6e-6 + 1.6e-5 * abs(expected)
  }
}

extension Mode01Tests.Verdict {
  fileprivate var isDecided: Bool { if case .decided = self { true } else { false } }
  fileprivate var isNone: Bool { if case .none = self { true } else { false } }
}
