import Foundation
import OBDWire
import TestKit
import Testing

/// Whole dialogues of real adapters and simulators with cars, compared with values that follow from the standards.
struct TranscriptConformanceTests {
  private struct Exchange {
    var id: String
    var index: Int
    var command: String
    var reply: String
    /// Legacy frames whose checksums were verified, from the metadata of the recording: sender and payload.
    var derived: [WireFindings.Message]
  }
  private struct Transcript {
    var id: String
    var exchanges: [Exchange]
    var stated: [String: Any]
  }

  @Test func every_exchange_gives_its_reviewed_messages_readings_and_errors() throws {
    let transcripts = try transcripts()
    var exchanges = 0
    var matching = 0
    var values = 0
    for transcript in transcripts {
      for (exchange, found) in read(transcript) {
        exchanges += 1
        let expected = transcriptExpectations.filter { $0.id == exchange.id && $0.index == exchange.index }
        guard let expected = expected.first, transcriptExpectations.count(where: { $0.id == exchange.id }) > 0 else {
          Issue.record("no expectation for \(exchange.id) \(exchange.index)")
          continue
        }
        let differences = compare(found, expected)
        #expect(differences.isEmpty, "\(exchange.id) \(exchange.index): \(differences.joined(separator: "; "))")
        if differences.isEmpty { matching += 1 }
        values += expected.readings.count
      }
    }
    print("elm/transcripts.jsonl: \(matching) of \(exchanges) exchanges as reviewed (\(values) values)")
    #expect(exchanges == transcriptExpectations.count)
  }

  @Test func legacy_frames_with_a_verified_check_come_out_as_their_messages() throws {
    let transcripts = try transcripts()
    var count = 0
    for transcript in transcripts {
      for (exchange, found) in read(transcript) {
        for derived in exchange.derived {
          count += 1
          #expect(found.messages.contains(derived), "\(exchange.id) \(exchange.index): \(derived)")
        }
      }
    }
    print("elm/transcripts.jsonl: \(count) legacy payloads derived beside the recording")
    #expect(count > 0)
  }

  @Test func transcripts_decode_to_the_values_that_their_sources_state() throws {
    let transcripts = try transcripts()
    var count = 0
    for transcript in transcripts where !transcript.stated.isEmpty {
      var all = WireFindings()
      for (_, found) in read(transcript) {
        all.messages += found.messages
        all.readings += found.readings
        all.texts += found.texts
        all.lists += found.lists
        all.errors += found.errors
      }
      for (key, value) in transcript.stated {
        count += 1
        #expect(holds(key, value, in: all), "\(transcript.id): \(key) is stated as \(value)")
      }
    }
    print("elm/transcripts.jsonl: \(count) results stated by the sources")
    #expect(count > 0)
  }

  // MARK: Reading

  private func transcripts() throws -> [Transcript] {
    try TestData.objects("elm/transcripts.jsonl").map { row in
      let id = row["id"] as? String ?? ""
      let exchanges = row["exchanges"] as? [[String: Any]] ?? []
      return Transcript(
        id: id,
        exchanges: exchanges.enumerated().map { index, exchange in
          let derived = exchange["derived_legacy"] as? [[String: Any]] ?? []
          return Exchange(
            id: id, index: index, command: exchange["tx"] as? String ?? "", reply: exchange["rx"] as? String ?? "",
            derived: derived.map {
              WireFindings.Message(ecu: $0["ecu"] as? String, payload: $0["payload"] as? String ?? "")
            })
        }, stated: row["stated_expected"] as? [String: Any] ?? [:])
    }
  }

  /// Reads a dialogue with one reader. The examples of the data sheet are from different buses, so each has its own
  /// reader.
  private func read(_ transcript: Transcript) -> [(Exchange, WireFindings)] {
    var reader = ReplyReader()
    return transcript.exchanges.map { exchange in
      if exchange.id == "datasheet" { reader = ReplyReader() }
      return (exchange, WireFindings.of(exchange.reply, to: exchange.command, by: &reader))
    }
  }
}

// MARK: Comparison

extension TranscriptConformanceTests {
  /// Returns the differences as text; empty if there are none.
  private func compare(_ found: WireFindings, _ expected: ExpectedExchange) -> [String] {
    var differences: [String] = []
    let messages = expected.messages.map { WireFindings.Message(ecu: $0.0, payload: $0.1) }
    if found.messages != messages {
      differences.append("messages \(found.messages.map { "\($0.ecu ?? "-") \($0.payload)" })")
    }
    let errors = found.errors.map { "\($0.kind)" }
    if errors != expected.errors { differences.append("errors \(errors)") }
    // In any order: each expected value must match a different found value.
    var rest = found.values
    for value in expected.readings {
      if let match = rest.firstIndex(where: { $0.pid == value.pid && isSame($0.value, value.value) }) {
        rest.remove(at: match)
      } else {
        differences.append("no \(value.pid) = \(value.value)")
      }
    }
    let surplus = rest.filter { !partialPIDs.contains($0.pid) }
    if !surplus.isEmpty { differences.append("not expected: \(surplus.map { "\($0.pid) = \($0.value)" })") }
    return differences
  }

  private func isSame(_ found: ExpectedValue, _ expected: ExpectedValue) -> Bool {
    if case .number(let found) = found, case .number(let expected) = expected {
      return abs(found - expected) <= 1e-9 * max(1, abs(expected))
    }
    return found == expected
  }

  /// Whether a result that a recording's source states in its own words was found.
  private func holds(_ key: String, _ value: Any, in found: WireFindings) -> Bool {
    let numbers = found.values
    func number(_ pid: String) -> Double? {
      for case (pid, .number(let value)) in numbers { return value }
      return nil
    }
    switch key {
    case "VIN": return found.texts.contains { $0.characters == value as? String }
    case "DTC": return Set(found.lists.flatMap(\.codes)) == Set(value as? [String] ?? ["none stated"])
    case "DTC_first": return found.lists.first?.codes.first == value as? String
    case "DTC_count": return number("0101") == (value as? NSNumber)?.doubleValue
    case "MIL": return numbers.contains { $0.pid == "0101" && $0.value == .flag(value as? Bool ?? true) }
    case "connect": return found.readings.isEmpty && found.messages.isEmpty && !found.errors.isEmpty
    case "throttle_pct_about": return number("0111").map { abs($0 - 94) < 0.5 } ?? false
    case "rpm": return number("010C") == 701
    case "018B2": return found.messages.contains { $0.payload == value as? String }
    case "018B1": return found.errors.contains { $0.kind == .truncated }
    default: return false
    }
  }
}

extension WireFindings {
  /// All values, by service and identifier.
  var values: [(pid: String, value: ExpectedValue)] {
    var all: [(pid: String, value: ExpectedValue)] = readings.filter { !Self.isSupportBit($0) }.map { reading in
      if reading.service == 0 { return ("ATRV", .number(reading.value)) }
      let isFlag = !reading.signal.isLoaded && saeSignals[Int(reading.signal.rawValue)].definition.kind == .flag
      return (
        Self.pid(reading.service, reading.identifier), isFlag ? .flag(reading.value != 0) : .number(reading.value)
      )
    }
    all += texts.map { (Self.pid($0.reading.service, $0.reading.identifier), .text($0.characters)) }
    all += lists.map {
      ($0.list.kind == .freezeFrame ? "0202" : Self.hex(UInt32($0.list.service), digits: 2), .codes($0.codes))
    }
    all += tests.map { (Self.pid(0x06, UInt16($0.isLegacy ? $0.testID : $0.monitorID)), .number($0.value)) }
    return all
  }

  /// Whether a flag only reports that another value of its answer exists.
  static func isSupportBit(_ reading: Reading) -> Bool {
    guard !reading.signal.isLoaded, reading.service != 0 else { return false }
    let row = saeSignals[Int(reading.signal.rawValue)].definition
    return SAESignals.rows(service: row.service, identifier: row.identifier).contains {
      saeSignals[$0].definition.supportBit == row.bitOffset && row.kind == .flag && row.bitLength == 1
    }
  }

  /// Returns service and identifier as text: `010C`, `22F40C`.
  static func pid(_ service: UInt8, _ identifier: UInt16) -> String {
    hex(UInt32(service), digits: 2) + hex(UInt32(identifier), digits: service == 0x22 ? 4 : 2)
  }
}
