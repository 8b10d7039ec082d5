import Captures
import Foundation
import TestKit
import Testing

/// Real dialogues, which the test writes in the formats of other programs and reads again.
@Suite struct CaptureTranscriptTests {
  private struct Exchange {
    var command: [UInt8]
    var reply: [UInt8]
  }

  /// Returns the dialogues, each as a list of exchanges. A character below U+0100 is a byte.
  private func dialogues() throws -> [(id: String, isExact: Bool, exchanges: [Exchange])] {
    try TestData.objects("elm/transcripts.jsonl").map { object in
      let exchanges = (object["exchanges"] as? [[String: Any]] ?? []).map { exchange in
        Exchange(
          command: bytes(exchange["tx"] as? String ?? "") + [0x0D], reply: bytes(exchange["rx"] as? String ?? ""))
      }
      return (object["id"] as? String ?? "?", object["rx_byte_exact"] as? Bool ?? false, exchanges)
    }
  }

  private func bytes(_ text: String) -> [UInt8] {
    text.unicodeScalars.flatMap { $0.value < 0x100 ? [UInt8($0.value)] : Array(String($0).utf8) }
  }

  private func expected(_ exchanges: [Exchange], time: (Int) -> CaptureTime) -> [Event] {
    exchanges.enumerated().flatMap { index, exchange in
      [
        Event(direction: .toAdapter, time: time(2 * index), bytes: exchange.command),
        Event(direction: .fromAdapter, time: time(2 * index + 1), bytes: exchange.reply),
      ].filter { !$0.bytes.isEmpty }
    }
  }

  private func escaped(_ bytes: [UInt8], quote: Bool) -> String {
    bytes.map { byte in
      switch byte {
      case 0x0D: "\\r"
      case 0x0A: "\\n"
      case 0x5C: "\\\\"
      case 0x27 where quote: "\\'"
      case 0x20..<0x7F: String(UnicodeScalar(byte))
      default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }.joined()
  }

  @Test func a_real_dialogue_written_as_a_capture_is_read_back_to_the_same_bytes() throws {
    let dialogues = try dialogues()
    #expect(dialogues.count >= 40)
    for (id, _, exchanges) in dialogues {
      var log = "# obdgate-capture 1\n# vehicle: \(id)   recorded: 2026-11-21T09:41:34Z\n"
      for (index, exchange) in exchanges.enumerated() {
        log += "\(index).000000 > \(escaped(exchange.command, quote: false))\n"
        log += "\(index).250000 < \(escaped(exchange.reply, quote: false))\n"
      }
      #expect(try detect(log) == .capture)
      let events = try read(log, as: .capture).events
      #expect(events == expected(exchanges) { .after(Double($0 / 2) + Double($0 % 2) * 0.25) }, "\(id)")
    }
  }

  @Test func a_real_dialogue_written_as_python_OBDs_log_is_read_back_to_the_same_bytes() throws {
    let dialogues = try dialogues()
    for (id, _, exchanges) in dialogues where !exchanges.isEmpty {
      var log = "[obd.obd] Explicit port defined\n"
      for exchange in exchanges {
        log += "[obd.elm327] write: b'\(escaped(exchange.command, quote: true))'\n"
        log += "[obd.elm327] read: b'\(escaped(exchange.reply, quote: true))'\n"
      }
      #expect(try detect(log) == .pythonOBD)
      #expect(try read(log, as: .pythonOBD).events == expected(exchanges) { _ in .none }, "\(id)")
    }
  }

  @Test func a_real_dialogue_as_bare_bytes_is_a_raw_transcript() throws {
    let dialogues = try dialogues()
    for (id, isExact, exchanges) in dialogues where isExact && !exchanges.isEmpty {
      let log = exchanges.flatMap { $0.reply }
      #expect(try CaptureFormat.detect(log.span, isWhole: true) == .raw, "\(id)")
      #expect(try read(log, as: .raw, chunk: 7).events.flatMap(\.bytes) == log, "\(id)")
    }
  }
}
