import Foundation
import OBDWire
import TestKit
import Testing

@testable import AdapterSession

/// Whole dialogues of real adapters: their answers, as far as they were recorded, stand in for the tables of ours.
@Suite struct TranscriptTests {
  private struct Transcript: Decodable {
    struct Exchange: Decodable {
      var tx: String
      var rx: String
    }
    var id: String
    var exchanges: [Exchange]
  }

  @Test func recorded_answers_give_no_reading_that_was_not_in_them_and_no_standstill() throws {
    let path = try TestData.path("elm/transcripts.jsonl")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for line in text.split(separator: "\n") {
      let transcript = try JSONDecoder().decode(Transcript.self, from: Data(line.utf8))
      var answers: [String: [String]] = [:]
      for exchange in transcript.exchanges {
        let command = exchange.tx.uppercased().filter { $0 != " " }
        answers[command, default: []].append(exchange.rx)
      }
      let adapter = TinyAdapter([])
      var turn: [String: Int] = [:]
      adapter.hook = { command, _ in
        guard let all = answers[command] else {
          return command.hasPrefix("A") ? nil : ("NO DATA\r\r>", Bench.millisecond)
        }
        let index = turn[command, default: 0]
        turn[command] = index + 1
        // Some logs end a reply where their reader stopped: at OK, in front of the prompt.
        let reply = all[min(index, all.count - 1)]
        return (reply.contains(">") ? reply : reply + "\r\r>", 5 * Bench.millisecond)
      }
      let bench = Bench(adapter)
      bench.run(seconds: 20)
      // It connects where, and only where, some ECU answered 0100.
      let support = (answers["0100"] ?? []).contains { $0.filter { $0 != " " }.contains("4100") }
      let isConnected = bench.events.contains { if case .connected = $0 { true } else { false } }
      #expect(isConnected == support, "\(transcript.id): \(bench.events)")
      // At least one question to the car was reached, whatever the adapter did before.
      #expect(
        bench.requests.contains("0100") || bench.events.contains(.lost(.silent)), "\(transcript.id): \(bench.commands)")
      // What was read stands in the transcript: each PID was in an answer there.
      let all = transcript.exchanges.map { $0.rx.filter { $0 != " " } }.joined()
      for value in bench.recorder.values where value.service == 1 {
        let pid = String(value.identifier, radix: 16, uppercase: true)
        #expect(all.contains("41" + (pid.count < 2 ? "0" : "") + pid), "\(transcript.id) \(pid)")
      }
    }
  }
}
