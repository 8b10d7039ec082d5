import Foundation
import OBDWire
import TestKit
import Testing

@testable import AdapterSession

/// Whole dialogues of real adapters. Their recorded answers replace those of the simulated adapter.
@Suite struct SessionTranscriptTests {
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
          return command.hasPrefix("A") ? nil : ("NO DATA\r\r>", SessionBench.millisecond)
        }
        let index = turn[command, default: 0]
        turn[command] = index + 1
        // In some logs a reply ends where the logging program stopped reading: at OK, before the prompt.
        let reply = all[min(index, all.count - 1)]
        return (reply.contains(">") ? reply : reply + "\r\r>", 5 * SessionBench.millisecond)
      }
      let bench = SessionBench(adapter)
      bench.run(seconds: 20)
      // A vehicle is connected if and only if an ECU answered 0100.
      let support = (answers["0100"] ?? []).contains { $0.filter { $0 != " " }.contains("4100") }
      let isConnected = bench.events.contains { if case .connected = $0 { true } else { false } }
      #expect(isConnected == support, "\(transcript.id): \(bench.events)")
      // The session sent at least one request to the car.
      #expect(
        bench.requests.contains("0100") || bench.events.contains(.lost(.silent)), "\(transcript.id): \(bench.commands)")
      // Every reading comes from the transcript: its PID is in one of the answers.
      let all = transcript.exchanges.map { $0.rx.filter { $0 != " " } }.joined()
      for value in bench.recorder.values where value.service == 1 {
        let pid = String(value.identifier, radix: 16, uppercase: true)
        #expect(all.contains("41" + (pid.count < 2 ? "0" : "") + pid), "\(transcript.id) \(pid)")
      }
    }
  }
}
