import Foundation
import OBDWire
import TestKit
import Testing

/// A comparison with python-OBD over random bytes. python-OBD has its own framing, reassembly and table of service 01,
/// by other authors.
struct PythonOBDConformanceTests {
  private static let answersPerPID = 100
  /// PIDs for which python-OBD has no value, or a less detailed one.
  private static let notCompared: [String: String] = [
    "02": "a trouble code; freeze frames are service 02's",
    "41": "byte A is reserved; python-OBD reads the lamp and a count from it, as in PID 01",
  ]

  private enum Outcome {
    case equal
    /// python-OBD has an error, and the formula of the error predicts its value exactly.
    case explained(String)
    case different(String)
  }

  @Test func random_answers_have_the_values_of_python_obd() throws {
    let python = try Tool.python(with: "obd")
    let script = TestData.projectRoot + "/scripts/python-obd-values.py"
    let run = try Tool.run(python, [script, "1979", "\(Self.answersPerPID)"], limit: .seconds(300))
    try #require(run.status == 0, "\(run.errors.suffix(500))")
    var compared = 0
    var equal = 0
    var silent = 0
    var explained: [String: Int] = [:]
    var different: [String] = []
    for line in run.lines {
      let row = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let pid = row["pid"] as? String ?? ""
      guard Self.notCompared[pid] == nil else { continue }
      guard let value = row["value"], !(value is NSNull) else {
        silent += 1
        continue
      }
      compared += 1
      switch compare(pid, row["reply"] as? String ?? "", value) {
      case .equal: equal += 1
      case .explained(let clause): explained[clause, default: 0] += 1
      case .different(let what): different.append("PID \(pid) in \(row["reply"] ?? ""): \(what), python-OBD \(value)")
      }
    }
    let clauses = explained.sorted { $0.key < $1.key }.map { "[\($0.key): \($0.value)]" }.joined(separator: " ")
    print(
      "python-OBD: \(equal) of \(compared) random answers equal, \(silent) codes it has no text for; explained: \(clauses)"
    )
    for line in different.prefix(20) { print("  \(line)") }
    #expect(different.isEmpty)
    // No difference is ignored: three formulas of python-OBD are wrong, and `judge` predicts their results for every
    // answer.
    #expect(compared > 7_000 && equal + explained.values.reduce(0, +) == compared)
    #expect(explained.count <= 3)
  }

  private func compare(_ pid: String, _ reply: String, _ value: Any) -> Outcome {
    let found = WireFindings.of(reply.replacing("\n", with: "\r") + "\r\r>", to: "01" + pid)
    let readings = found.readings.filter { !WireFindings.isSupportBit($0) || pid == "13" || pid == "1D" }
    guard found.errors.isEmpty, !readings.isEmpty else { return .different("\(found.errors.map(\.kind))") }
    let data = found.messages.first.map { bytes(of: $0.payload.dropFirst(4)) } ?? []
    if let list = value as? [Any] { return compare(list, readings, pid) }
    guard let theirs = (value as? NSNumber)?.doubleValue else { return .different("no number") }
    // Of two values in one answer python-OBD gives one: the voltage or the current of PIDs 24–2B and 34–3B.
    let hasRatio = ("24"..."2B").contains(pid) || ("34"..."3B").contains(pid)
    let ours = readings[hasRatio ? 1 : 0].value
    // A full scale of 65,535 or of 65,536 steps makes a difference in the fifth digit.
    if abs(ours - theirs) <= 1e-4 * abs(theirs) + 1e-9 { return .equal }
    return judge(pid, data, ours, theirs)
  }

  /// Judges known errors of python-OBD; both formulas are computed again from the bytes.
  private func judge(_ pid: String, _ data: [UInt8], _ ours: Double, _ theirs: Double) -> Outcome {
    let raw = data.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    let signed = Double(raw < 0x8000 ? raw : raw - 0x10000)
    func close(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 1e-9 * max(1, abs(b)) }
    switch pid {
    case "44":
      // The step is 2/65,536. python-OBD uses the rounded value that J1979 prints.
      if close(ours, Double(raw) * 2 / 65_536), close(theirs, Double(raw) * 0.0000305) { return .equal }
    case "32":
      if close(ours * 1_000, signed / 4), close(theirs, (signedByte(data[0]) * 256 + signedByte(data[1])) / 4) {
        return .explained("PID 32: two's complement of both bytes together, not of each")
      }
      if close(ours * 1_000, theirs) { return .equal }
    case "54":
      if close(ours * 1_000, signed), close(theirs, Double(raw) - 32_767) {
        return .explained("PID 54: two's complement, not an offset of 32,767")
      }
    case "1E":
      if ours == Double(data[0] & 1), theirs == Double(data[0] >> 7) {
        return .explained("PID 1E: the power take-off is bit 0, not bit 7")
      }
    default: break
    }
    return .different("\(ours)")
  }

  private func compare(_ list: [Any], _ readings: [Reading], _ pid: String) -> Outcome {
    // Lamp and count of PID 01; the codes of PID 03; the bits of PIDs 13 and 1D in the order in which they are sent.
    let theirs = list.flatMap { ($0 as? [Any]) ?? [$0] }.map { ($0 as? NSNumber)?.doubleValue }
    var ours = readings.map(\.value)
    if pid == "13" || pid == "1D" {
      ours = readings.sorted { bitOffset($0) < bitOffset($1) }.map(\.value)
    }
    // If python-OBD has no text for a code, it has no value to compare.
    let isSame = zip(theirs, ours).allSatisfy { $0 == nil || $0 == $1 }
    return isSame && ours.count >= theirs.count ? .equal : .different("\(ours)")
  }

  private func bitOffset(_ reading: Reading) -> UInt16 {
    saeSignals[Int(reading.signal.rawValue)].definition.bitOffset
  }

  private func signedByte(_ byte: UInt8) -> Double { Double(Int8(bitPattern: byte)) }

  private func bytes(of digits: Substring) -> [UInt8] {
    stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(digits.dropFirst($0).prefix(2), radix: 16)
    }
  }
}
