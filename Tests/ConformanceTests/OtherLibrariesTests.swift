import Foundation
import OBDWire
import TestKit
import Testing

/// Test vectors of two other libraries, kotlin-obd-api and ObdMetrics, read by the complete reader.
///
/// They are single answers without headers and without separators. If a vector is wrong, or uses a value that the
/// library defines itself, `judged` contains the reason.
struct OtherLibrariesTests {
  private struct Vector {
    var library: String
    var command: String
    var arguments: String
    var response: String
    var expected: Any
  }

  @Test func answers_to_service_01_have_the_values_of_other_libraries() throws {
    let vectors = try vectors("decoder")
    var equal = 0
    var judged: [String: Int] = [:]
    var wrong: [String] = []
    var compared = 0
    for vector in vectors {
      guard let pair = comparable(vector) else { continue }
      compared += 1
      if let value = pair.found, abs(value - pair.expected) <= pair.tolerance {
        equal += 1
      } else if let reason = judgement(of: vector) {
        judged[reason, default: 0] += 1
      } else {
        wrong.append(
          "\(vector.command) \(vector.response) = \(pair.expected): \(pair.found.map { "\($0)" } ?? "nothing")")
      }
    }
    let reasons = judged.sorted { $0.key < $1.key }.map { "[\($0.key): \($0.value)]" }.joined(separator: " ")
    print("obd/other-libraries.jsonl: \(equal) of \(compared) values of service 01 equal; judged: \(reasons)")
    for line in wrong { print("  \(line)") }
    #expect(wrong.isEmpty)
    #expect(equal > 150)
  }

  @Test func supported_identifiers_are_those_of_other_libraries() throws {
    let vectors = try vectors("decoder")
    var count = 0
    for vector in vectors where vector.command == "AvailablePIDsCommand" {
      guard let range = vector.arguments.firstMatch(of: /PIDS_([0-9A-F]{2})_TO/),
        let first = UInt16(range.1, radix: 16),
        first & 0x1F <= 1, let text = vector.expected as? String
      else { continue }
      count += 1
      let base = first & ~0x1F
      var expected = text.matches(of: /0x([0-9A-Fa-f]+)/).compactMap { UInt16($0.1, radix: 16) }
      // `(0x21..0x40).toList()`
      if text.contains(".."), expected.count == 2 { expected = Array(expected[0]...expected[1]) }
      let found = WireFindings.of("41" + WireFindings.hex(UInt32(base), digits: 2) + vector.response + "\r\r>")
      let bits = found.bitmaps.first?.bits ?? 0
      let identifiers = (0..<32).filter { bits >> UInt32(31 - $0) & 1 == 1 }.map { base + UInt16($0) + 1 }
      #expect(identifiers == expected, "\(vector.response)")
    }
    print("obd/other-libraries.jsonl: \(count) maps of supported identifiers equal")
    #expect(count > 10)
  }

  @Test func vins_and_trouble_codes_are_those_of_other_libraries() throws {
    let vectors = try vectors("decoder")
    var texts = 0
    var lists = 0
    for vector in vectors {
      let reply = vector.response.replacing("\\r", with: "\r") + "\r\r>"
      if vector.command == "VINCommand" || vector.command == "VinCommandTest" {
        texts += 1
        // Five concatenated legacy lines of 35 digits each cannot be separated by length: they are rejected.
        let isRunTogether = vector.response.hasPrefix("49") && vector.response.count > 40
        let found = WireFindings.of(isRunTogether ? lines(of: vector.response) + "\r>" : reply, to: "0902")
        #expect(found.texts.map(\.characters).joined() == vector.expected as? String, "\(vector.response)")
      } else if vector.command.hasSuffix("TroubleCodesCommand") {
        lists += 1
        let text = vector.expected as? String ?? ""
        let expected = text.matches(of: /[PCBU][0-9A-F]{4}/).map { String($0.0) }
        let command = vector.command.hasPrefix("Pending") ? "07" : vector.command.hasPrefix("Perm") ? "0A" : "03"
        let found = WireFindings.of(reply, to: command)
        #expect(found.lists.flatMap(\.codes) == expected, "\(vector.response) \(found.errors.map(\.kind))")
      }
    }
    print("obd/other-libraries.jsonl: \(texts) VINs, \(lists) lists of trouble codes equal")
    #expect(texts >= 8 && lists >= 15)
  }

  @Test func answers_to_service_22_come_out_as_their_messages() throws {
    let vectors = try vectors("decoder_mfr")
    var whole = 0
    for vector in vectors {
      let found = WireFindings.of(vector.response + "\r\r>")
      let digits = vector.response.uppercased()
      // The formulas and names are the manufacturer's, so only the bytes can be compared.
      if digits.contains(":") {
        #expect(found.messages.count + found.errors.count > 0, "\(vector.response)")
      } else if digits.count.isMultiple(of: 2), digits.allSatisfy(\.isHexDigit) {
        #expect(found.messages.map(\.payload) == [digits], "\(vector.response)")
        whole += 1
      } else {
        #expect(found.messages.isEmpty, "\(vector.response)")
      }
      #expect(found.readings.isEmpty)
    }
    print("obd/other-libraries.jsonl: \(whole) of \(vectors.count) answers to service 22 are one message each")
    #expect(whole > 400)
  }

  // MARK: Vectors

  private func vectors(_ kind: String) throws -> [Vector] {
    try TestData.objects("obd/other-libraries.jsonl").filter { $0["kind"] as? String == kind }.map { row in
      Vector(
        library: row["source"] as? String ?? "", command: row["command"] as? String ?? "",
        arguments: row["args"] as? String ?? "", response: row["response"] as? String ?? "",
        expected: (row["expected"] as? [String: Any])?["value"] ?? "")
    }
  }

  /// Splits `490201…490202…` into lines of seven bytes.
  private func lines(of digits: String) -> String {
    let digits = Array(digits)
    return stride(from: 0, to: digits.count, by: 14).map { String(digits[$0..<min($0 + 14, digits.count)]) }
      .joined(separator: "\r")
  }

  /// Returns the value of this project and that of the vector, if the vector is an answer of service 01 with a number.
  private func comparable(_ vector: Vector) -> (found: Double?, expected: Double, tolerance: Double)? {
    let digits = vector.response.uppercased().replacing(" ", with: "")
    guard digits.hasPrefix("41"), digits.count >= 6, !digits.contains(":"),
      let pid = UInt16(String(digits.dropFirst(2).prefix(2)), radix: 16)
    else { return nil }
    let found = WireFindings.of(digits + "\r\r>", to: "01" + WireFindings.hex(UInt32(pid), digits: 2))
    let values = found.readings.filter { $0.identifier == pid && !WireFindings.isSupportBit($0) }
    func named(_ name: String) -> Double? {
      values.first { "\(saeSignals[Int($0.signal.rawValue)].name)" == name }?.value
    }
    // Most libraries print one decimal. The tolerance of the others follows from their digits.
    switch vector.command {
    case "MILOnCommand": return (named("mil"), vector.expected as? String == "true" ? 1 : 0, 0)
    case "DTCNumberCommand": return (vector.expected as? NSNumber).map { (named("dtcCount"), $0.doubleValue, 0) }
    case "RuntimeCommand":
      guard let text = vector.expected as? String else { return nil }
      return (values.first?.value, text.split(separator: ":").reduce(0) { $0 * 60 + (Double($1) ?? 0) }, 0)
    case "RPMCommand", "EngineRpmTest":
      // The libraries drop the quarters.
      return (vector.expected as? NSNumber).map { (values.first?.value.rounded(.down), $0.doubleValue, 0) }
    default:
      guard let number = vector.expected as? NSNumber else { return nil }
      return (
        values.first?.value, number.doubleValue, number.doubleValue == number.doubleValue.rounded() ? 0.51 : 0.0501
      )
    }
  }

  /// Returns the reason why a vector does not decide; `nil` if it does.
  private func judgement(of vector: Vector) -> String? {
    switch vector.command {
    case "FuelAirEquivalenceRatioCommand": "PIDs 34-3B have four bytes (J1979-DA); these answers are cut"
    case "FuelRailPressureCommand": "formula of PID 22 (0.079 kPa) on the bytes of another PID"
    case "AFR_Test": "air-fuel ratio of a narrow-band sensor is the library's own estimate"
    case "CalculatedBoostPressureTest": "boost against the air's pressure is the library's own"
    default: nil
    }
  }
}

/// Several identifiers in one answer. Their boundaries follow from the lengths and from the request.
struct OtherLibrariesBatchTests {
  /// Two of the values are bytes with a manufacturer's scale. Only their boundaries are checked.
  private static let definitions: [SignalDefinition] = [
    word(0x1000), word(0x1004, factor: 0.1), word(0x1302), byte(0x130A, factor: 0.04, offset: -1), word(0x180E),
    word(0x181F), byte(0x1837), word(0x1867), byte(0x18BA), byte(0x1924), byte(0x1935, offset: -40), word(0x1937),
    word(0x1956), byte(0x3A58, offset: -40),
  ]

  private static func word(_ identifier: UInt16, factor: Double = 1) -> SignalDefinition {
    SignalDefinition(service: 0x22, identifier: identifier, bitOffset: 0, bitLength: 16, factor: factor)
  }
  private static func byte(_ identifier: UInt16, factor: Double = 1, offset: Double = 0) -> SignalDefinition {
    SignalDefinition(service: 0x22, identifier: identifier, bitOffset: 0, bitLength: 8, factor: factor, offset: offset)
  }

  /// Rows without a complete answer, by the beginning of their bytes.
  private static let refused: [String: String] = [
    "0230:62181F03EE": "35 bytes announced, 34 delivered",
    "410CFFFF04FF00F0": "an answer without an end runs into the next one's length",
    "00F0:41150D800C001:0004000680112D2:0E800000000000410C": "a second answer is glued to the last segment",
    "00D0:410C0C80043900D0": "two announcements run into each other",
    "01150B0C0411200D0": "the echo of another command is glued in front",
  ]
  /// Values that are not in the bytes of the answer, or that the library has defined itself.
  private static let unbound: [String: String] = [
    "15": "air-fuel ratio estimated from a narrow-band sensor", "99L": "boost against the air's pressure",
    "1837": "scale of the maker's own", "18BA": "scale of the maker's own",
  ]

  @Test func answers_with_several_identifiers_are_taken_apart() throws {
    let rows = try TestData.objects("obd/other-libraries.jsonl")
    var count = 0
    var equal = 0
    var refusals = 0
    var unbound = 0
    var missing = 0
    for row in rows where row["kind"] as? String == "batch_multiframe_no_separators" {
      count += 1
      let response = row["response"] as? String ?? ""
      let question = self.question(row["command"] as? String ?? "", response)
      let found = WireFindings.of(response + "\r\r>", to: question, loaded: Self.definitions)
      if Self.refused.keys.contains(where: { response.hasPrefix($0) }) {
        refusals += 1
        #expect(found.readings.isEmpty && !found.errors.isEmpty, "\(response)")
        continue
      }
      #expect(found.errors.isEmpty, "\(response): \(found.errors.map(\.kind))")
      for (id, value) in row["expected"] as? [String: Any] ?? [:] {
        guard let expected = (value as? NSNumber)?.doubleValue else { continue }
        let identifier = UInt16(id, radix: 16)
        let reading = found.readings.first { $0.identifier == identifier }
        if Self.unbound[id] != nil {
          unbound += 1
        } else if !question.contains(id) {
          // The library's test reuses values of earlier answers.
          missing += 1
          #expect(reading == nil, "\(id) in \(response)")
        } else {
          equal += 1
          #expect(reading.map { abs($0.value - expected) <= 0.51 } ?? false, "\(id) = \(expected) in \(response)")
        }
      }
    }
    print(
      "obd/other-libraries.jsonl: \(count) answers with several identifiers: \(equal) values equal, \(refusals) answers "
        + "refused as cut or glued, \(unbound) values of the library's own, \(missing) that no question asked for")
    #expect(count == 16 && refusals == Self.refused.count && equal >= 50)
  }

  /// Returns the command as it is sent to an adapter. Some rows omit the service.
  private func question(_ command: String, _ response: String) -> String {
    let words = command.split(separator: " ")
    let service = response.contains("62") && words.first?.count == 4 ? "22" : words.first == "15" ? "01" : ""
    return service + words.joined()
  }
}
