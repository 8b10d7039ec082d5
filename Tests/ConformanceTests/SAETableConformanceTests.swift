import Foundation
import OBDWire
import TestKit
import Testing

/// The table compared with real answers of 14 vehicles, which are decoded here by a few lines that share no code with
/// the reader.
@Suite struct SAETableConformanceTests {
  @Test func table_gives_the_values_that_real_answers_hold() throws {
    let objects = try TestData.objects("obd/obdb-mode01.jsonl")
    var tally = Tally()
    for object in objects {
      let answer = try #require(RecordedAnswer(object))
      judge(answer, &tally)
    }
    print(
      "SAE table: \(objects.count) answers, \(tally.values) values: \(tally.agree) agree, "
        + "\(tally.absent) rightly absent, \(tally.reserved) reserved bits, "
        + "\(tally.decided.values.reduce(0, +)) decided by the standard "
        + "\(tally.decided.sorted { $0.key < $1.key }.map { "[\($0.key): \($0.value)]" }.joined(separator: " "))")
    for line in tally.wrong.prefix(20) { print("  " + line) }
    #expect(tally.wrong.isEmpty, "\(tally.wrong.count) values differ without a clause that decides")
    #expect(tally.values > 18_000)
    // Among the rows that a second decoder confirmed, at most one in 200 may be decided by a clause of the standard.
    #expect(tally.decidedAmongAgreed * 200 <= tally.valuesAmongAgreed)
  }

  private struct Tally {
    var values = 0
    var agree = 0
    var absent = 0
    var reserved = 0
    var valuesAmongAgreed = 0
    var decidedAmongAgreed = 0
    var decided: [String: Int] = [:]
    var wrong: [String] = []
  }

  private func judge(_ answer: RecordedAnswer, _ tally: inout Tally) {
    let decoded = answer.payloads.map { TableDecoder.decode(pid: answer.pid, data: $0) }
    for (id, expected) in answer.expected.sorted(by: { $0.key < $1.key }) {
      tally.values += 1
      if answer.isAgreed { tally.valuesAmongAgreed += 1 }
      // OBDb evaluated the first ECU. If several answered, any of them may be meant.
      let verdicts = decoded.map { verdict(id, expected, answer, $0) }
      if verdicts.contains(.agrees) {
        tally.agree += 1
      } else if verdicts.contains(.rightlyAbsent) {
        tally.absent += 1
      } else if verdicts.contains(.reserved) {
        tally.reserved += 1
      } else if case .decided(let clause)? = verdicts.first(where: \.isDecided) {
        tally.decided[clause, default: 0] += 1
        if answer.isAgreed { tally.decidedAmongAgreed += 1 }
      } else {
        tally.wrong.append(
          "\(String(answer.pid, radix: 16)) \(id) expected \(expected) in \(answer.lines): \(verdicts)")
      }
    }
  }

  private enum Verdict: Equatable {
    case agrees, rightlyAbsent
    /// PIDs 01 and 41, bytes C and D: under compression ignition the standard reserves the bit.
    case reserved
    case decided(String)
    case differs(Double?)
    var isDecided: Bool { if case .decided = self { true } else { false } }
  }

  private func verdict(
    _ id: String, _ expected: Expected, _ answer: RecordedAnswer, _ decoded: [String: Double]
  ) -> Verdict {
    let compression = decoded["monitorsIgnitionType"] ?? decoded["drivingCycleMonitorsIgnitionType"]
    guard let name = OBDbNames.ours(pid: answer.pid, id: id, compressionIgnition: compression == 1) else {
      return compression == 1 ? .reserved : .differs(nil)
    }
    let value = decoded[name]
    if value == nil, isNone(id, answer) { return .rightlyAbsent }
    if case .number(0)? = answer.expected[OBDbNames.supportID(of: id)] {
      if value == nil { return wideRange(id, expected, answer, decoded) ?? .rightlyAbsent }
      return .differs(value)
    }
    switch expected {
    case .number(let number):
      let wanted = OBDbNames.isInverted(id) ? 1 - number : number
      // OBDb divides the voltage of PID 24 by 8,196 instead of 8,192 (8 V in 65,536 steps).
      let scaled = answer.pid == 0x24 && id == "O2S11_VOLT" ? wanted * 8_196 / 8_192 : wanted
      if let value, isClose(value, scaled) { return .agrees }
      return clause(id, number, answer, value).map { .decided($0) } ?? .differs(value)
    case .text(let text):
      let code = answer.pid == 0x12 && text == "OFF" ? 4 : OBDbNames.code(text)
      if let value, value == code { return .agrees }
      return clause(id, nil, answer, value).map { .decided($0) } ?? .differs(value)
    }
  }

  /// Whether a footnote of J1979-DA says that the raw value of the answer is no value.
  private func isNone(_ id: String, _ answer: RecordedAnswer) -> Bool {
    answer.payloads.contains { data in
      switch (answer.pid, id) {
      case (0x03, "FUELSYS2"): data.count > 1 && data[0] != 0 && data[1] == 0
      case (0x14...0x1B, _) where id.hasPrefix("SHRTFT"): data.count > 1 && data[1] == 0xFF
      case (0x4F, "MAX_EQ_RAT"): data.first == 0
      case (0x4F, "MAX_O2_VOLT"): data.count > 1 && data[1] == 0
      case (0x4F, "MAX_O2_CURR"): data.count > 2 && data[2] == 0
      case (0x4F, "MAX_MAP"): data.count > 3 && data[3] == 0
      case (0x50, _): data.first == 0
      default: false
      }
    }
  }

  /// PID 6B: OBDb reads the wide-range byte in steps of 1 °C; the standard's step is 4 °C.
  private func wideRange(
    _ id: String, _ expected: Expected, _ answer: RecordedAnswer, _ decoded: [String: Double]
  ) -> Verdict? {
    guard answer.pid == 0x6B, case .number(let number) = expected,
      case .number(1)? = answer.expected[id + "_WR_SUP"]
    else { return nil }
    let value = OBDbNames.ours(pid: 0x6B, id: id + "_WR").flatMap { decoded[$0] }
    return value == (number + 40) * 4 - 40
      ? .decided("PID 6B: wide range is 4 °C a step") : .differs(value)
  }

  /// Returns the clause of J1979-DA that decides if OBDb has another number.
  private func clause(_ id: String, _ expected: Double?, _ answer: RecordedAnswer, _ value: Double?) -> String? {
    switch (answer.pid, id) {
    case (0x14...0x1B, _) where id.hasPrefix("SHRTFT"):
      guard let expected else { return nil }
      // OBDb's offset is −128 instead of −100.
      return value.map { isClose($0, expected + 28) } == true ? "PIDs 14-1B: trim is B × 100/128 − 100" : nil
    case (0x24, _), (0x34, _), (0x44, _), (0x5D, _):
      guard let expected, let value, !answer.isAgreed else { return nil }
      return (expected == 1.99 && value > 1.99) || (expected == -210 && value > -210 && value < 302)
        ? "OBDb clamps to its own limits" : nil
    case (0x9A, "EHEV_MODE"): return "PID 9A: the enhanced state is in byte B"
    default: return nil
    }
  }

  /// The tolerance is half a step of OBDb's last printed digit, and the difference between a full scale of 65,535 and
  /// of 65,536 steps.
  private func isClose(_ value: Double, _ expected: Double) -> Bool {
    abs(value - expected) <= 6e-6 + 1.6e-5 * abs(expected)
  }
}

/// The value of one signal according to OBDb.
private enum Expected: CustomStringConvertible {
  case number(Double)
  case text(String)
  var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .text(let text): text
    }
  }
}

/// One row of the recordings: the lines as an adapter printed them, and the data bytes in them.
private struct RecordedAnswer {
  var pid: UInt8
  var lines: [String]
  var expected: [String: Expected]
  var isAgreed: Bool
  /// The data bytes after `41 <pid>`, for each ECU that answered.
  var payloads: [[UInt8]]

  init?(_ object: [String: Any]) {
    guard let pidText = object["pid"] as? String, let pid = UInt8(pidText, radix: 16),
      let lines = object["response"] as? [String], let values = object["expected"] as? [String: Any]
    else { return nil }
    self.pid = pid
    self.lines = lines
    isAgreed = object["independent_check"] as? String == "agree"
    expected = values.compactMapValues { value in
      if let number = value as? NSNumber { return .number(number.doubleValue) }
      return (value as? String).map { .text($0) }
    }
    payloads = Self.messages(lines).filter { $0.count > 2 && $0[0] == 0x41 && $0[1] == pid }.map { Array($0[2...]) }
  }

  /// Reassembles messages as ISO 15765-2 describes it: single frames, and first frames with their consecutive frames.
  private static func messages(_ lines: [String]) -> [[UInt8]] {
    var done: [[UInt8]] = []
    var open: [String: (length: Int, bytes: [UInt8])] = [:]
    for line in lines {
      let digits = line.filter { !$0.isWhitespace }
      guard digits.allSatisfy(\.isHexDigit), digits.count > 4 else { continue }
      let headerLength = digits.count.isMultiple(of: 2) ? 8 : 3
      let header = String(digits.prefix(headerLength))
      let bytes = bytes(of: digits.dropFirst(headerLength))
      guard let first = bytes.first else { continue }
      switch first >> 4 {
      case 0: done.append(Array(bytes.dropFirst().prefix(Int(first))))
      case 1 where bytes.count > 2:
        open[header] = (Int(first & 0xF) << 8 | Int(bytes[1]), Array(bytes[2...]))
      case 2:
        guard var message = open[header] else { continue }
        message.bytes += bytes.dropFirst()
        if message.bytes.count >= message.length {
          done.append(Array(message.bytes.prefix(message.length)))
          open[header] = nil
        } else {
          open[header] = message
        }
      default: continue
      }
    }
    return done
  }

  private static func bytes(of digits: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = digits
    while rest.count >= 2 {
      guard let byte = UInt8(rest.prefix(2), radix: 16) else { return bytes }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}

/// Decodes an answer bit by bit, using only the rows of the table.
private enum TableDecoder {
  static func decode(pid: UInt8, data: [UInt8]) -> [String: Double] {
    var values: [String: Double] = [:]
    for index in SAESignals.rows(service: 1, identifier: UInt16(pid), layout: .unknown) {
      let row = saeSignals.span[index]
      let definition = row.definition
      if definition.supportBit != SignalDefinition.noBit, bits(data, Int(definition.supportBit), 1) != 1 { continue }
      if definition.variantBit != SignalDefinition.noBit,
        bits(data, Int(definition.variantBit), 1) != (definition.variantValue ? 1 : 0)
      {
        continue
      }
      guard let raw = bits(data, Int(definition.bitOffset), Int(definition.bitLength)) else { continue }
      let isAlone = definition.zeroIsAbsentBeside == SignalDefinition.noByte
      if raw == 0, !isAlone, data[Int(definition.zeroIsAbsentBeside)] != 0 { continue }
      let half = 1 << (Int(definition.bitLength) - 1)
      let number = definition.encoding == .signed && raw >= half ? raw - 2 * half : raw
      let value = Double(number) * definition.factor + definition.offset
      if value <= definition.nullAtOrBelow || value >= definition.nullAtOrAbove { continue }
      values["\(row.name)"] = value
    }
    return values
  }

  private static func bits(_ data: [UInt8], _ offset: Int, _ length: Int) -> Int? {
    guard offset + length <= data.count * 8 else { return nil }
    return (offset..<offset + length).reduce(0) { $0 << 1 | Int(data[$1 / 8] >> UInt8(7 - $1 % 8) & 1) }
  }
}
