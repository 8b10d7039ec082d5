import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// Records that are kept until a sink has them. The real daemon writes them to a file.
@Suite struct KeptRecordsTests {
  /// The folder of a daemon, with its configuration, its spool, and the file to which records are written.
  private final class Box {
    let folder: ScratchFolder
    let adapter: SimulatedAdapter
    let program: String
    let configuration: String

    init(_ more: String = #""record": {"period": 0.05}, "spool": {"commitPeriod": 0.2}"#) throws {
      program = try Tool.obdgated
      folder = try ScratchFolder()
      adapter = try SimulatedAdapter(.tcp(0), scenario: Scenarios.drive, log: folder.file("dialogue"), in: folder.path)
      configuration = try folder.write(
        "gateway.json",
        """
        {"gatewayId": "gw-test", "adapters": [{"tcp": "\(adapter.name)"}],
         "discovery": {"serial": false, "bluetooth": false}, "poll": {"defaultPeriod": 0.05},
         "stateDirectory": "state", "sinks": [{"type": "file", "path": "records.jsonl", "rotate": {"seconds": 86400}}],
         \(more)}
        """)
      try FileManager.default.createDirectory(atPath: folder.file("state"), withIntermediateDirectories: true)
    }

    deinit { adapter.stop() }

    func start() throws -> RunningProgram { try RunningProgram(program, ["--config", configuration]) }

    /// The lines of the file in the state in which the sink left it.
    var lines: [String] {
      let text = (try? String(contentsOfFile: folder.file("records.jsonl"), encoding: .utf8)) ?? ""
      return text.split(separator: "\n").map(String.init)
    }

    var records: [KeptRecord] { get throws { try lines.map { try KeptRecord($0) } } }

    /// Waits until the file has this number of lines.
    func await(_ count: Int, of program: RunningProgram) throws {
      let deadline = ContinuousClock.now + .seconds(60)
      while lines.count < count {
        guard .now < deadline else {
          throw DaemonRun.Missing(what: "\(count) lines in the file: \(program.errorLines)")
        }
        poll(nil, 0, 5)
      }
    }

    func committed() throws -> Set<String> { try KeptRecord.committed(in: folder.file("state")) }

    /// Waits until a running daemon keeps no record for any sink.
    func awaitNothing(_ daemon: RunningProgram) throws {
      let deadline = ContinuousClock.now + .seconds(60)
      while try !KeptRecord.committed(in: folder.file("state"), isLive: true).isEmpty {
        guard .now < deadline else { throw DaemonRun.Missing(what: "an empty spool: \(daemon.errorLines)") }
        poll(nil, 0, 50)
      }
    }

    /// Ends the adapter, and waits until the file has all records of the daemon.
    func endDrive(_ daemon: RunningProgram) throws {
      adapter.stop()
      try EndedDrive.wait(for: [folder.file("records.jsonl")], of: daemon)
    }

    /// Ends the drive. Records that a busy disk delayed until then are delivered by another start, without a car.
    func end(_ daemon: RunningProgram) throws {
      daemon.send(SIGTERM)
      #expect(try daemon.end(within: .seconds(60)) == 0)
      if try committed().isEmpty { return }
      let text = try String(contentsOfFile: configuration, encoding: .utf8)
      try text.replacingOccurrences(of: #"{"tcp": "\#(adapter.name)"}"#, with: "").write(
        toFile: configuration, atomically: true, encoding: .utf8)
      let last = try start()
      defer { last.kill() }
      try last.awaitSpool()
      try awaitNothing(last)
      last.send(SIGTERM)
      #expect(try last.end(within: .seconds(60)) == 0)
    }

    /// The answers of the car, read after the end of the drive.
    func answers() throws -> SimulatedAnswers {
      adapter.stop()
      return try SimulatedAnswers(String(contentsOfFile: folder.file("dialogue"), encoding: .utf8))
    }
  }

  @Test func a_backlog_is_reported_at_the_start_and_an_empty_one_is_not() async throws {
    try await runBlocking {
      let box = try Box()
      let daemon = try box.start()
      defer { daemon.kill() }
      try box.await(5, of: daemon)
      try box.end(daemon)
      #expect(!daemon.errorLines.contains { $0.contains("for sinks") }, "\(daemon.errorLines)")
    }
  }

  @Test func a_file_gets_every_record_once_over_a_restart() async throws {
    try await runBlocking {
      let box = try Box()
      for round in 1...2 {
        let daemon = try box.start()
        defer { daemon.kill() }
        try box.await(40 * round, of: daemon)
        // Records that are in progress at the first end arrive at the next start.
        if round == 2 {
          try box.end(daemon)
        } else {
          daemon.send(SIGTERM)
          #expect(try daemon.end(within: .seconds(60)) == 0)
        }
      }
      let records = try box.records
      #expect(Set(records.map(\.epoch)).count == 1)
      // Events overtake telemetry. In the end, no record is missing, and no gap was reported.
      #expect(records.map(\.seq).sorted() == Array(1...records.count))
      #expect(!records.contains { $0.type == "gap" })
      #expect(try box.committed() == [])
    }
  }

  @Test func committed_records_arrive_once_however_often_the_daemon_is_killed() async throws {
    let rounds = Int(ProcessInfo.processInfo.environment["DAEMON_KILLS"] ?? "") ?? 48
    // The runs are parallel, each with a separate spool.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { try await runBlocking { try Self.killed(rounds / 4) } } }
      try await group.waitForAll()
    }
  }

  private static func killed(_ rounds: Int) throws {
    let box = try Box()
    var committed: Set<String> = []
    for _ in 0..<rounds {
      let daemon = try box.start()
      defer { daemon.kill() }
      try box.await(box.lines.count + 1, of: daemon)
      // The kill comes at any moment of a round: during a commit, or while the line in the file is incomplete.
      poll(nil, 0, Int32.random(in: 0...400))
      try daemon.killNow()
      committed.formUnion(try box.committed())
    }
    let last = try box.start()
    defer { last.kill() }
    try box.await(box.lines.count + 20, of: last)
    try box.end(last)
    #expect(try box.committed() == [], "nothing is left behind")
    let records = try box.records
    let names = records.map { "\($0.epoch) \($0.seq)" }
    #expect(committed.subtracting(names) == [], "committed, and did not arrive")
    #expect(names.count == Set(names).count && records.count == Set(records.map(\.id)).count, "nothing came twice")
    #expect(KeptRecord.unexplainedHoles(in: records) == [])
    #expect(try box.answers().faults(in: records, .period) == [])
    trips(records)
  }

  /// Checks the trips. The car drives all the time: one trip has begun, and no kill has ended or doubled it.
  private static func trips(_ records: [KeptRecord]) {
    let trips = records.filter { $0.type == "trip" }.map(\.object)
    let started = trips.filter { $0["event"] as? String == "start" }.compactMap { $0["tripId"] as? String }
    let ended = trips.filter { $0["event"] as? String == "end" }.compactMap { $0["tripId"] as? String }
    #expect(started.count == Set(started).count && ended.count == Set(ended).count, "\(trips)")
    #expect(Set(ended).isSubset(of: started), "\(trips)")
    #expect(started.count - ended.count <= 1, "\(trips)")
  }

  @Test func without_a_state_directory_records_are_kept_in_memory_with_a_warning() async throws {
    try await runBlocking {
      let box = try Box()
      let text = try String(contentsOfFile: box.configuration, encoding: .utf8)
      try text.replacingOccurrences(of: #""stateDirectory": "state","#, with: "").write(
        toFile: box.configuration, atomically: true, encoding: .utf8)
      let daemon = try box.start()
      defer { daemon.kill() }
      try box.await(20, of: daemon)
      // Records that a busy disk delays at the end are lost with the memory.
      try box.endDrive(daemon)
      daemon.send(SIGTERM)
      #expect(try daemon.end(within: .seconds(60)) == 0)
      #expect(daemon.errorLines.contains { $0.contains("stateDirectory") })
      let records = try box.records
      #expect(records.map(\.seq).sorted() == Array(1...records.count))
      #expect(try FileManager.default.contentsOfDirectory(atPath: box.folder.file("state")) == [])
    }
  }

  @Test func stdout_beside_a_file_gets_the_same_records() async throws {
    try await runBlocking {
      let box = try Box()
      let text = try String(contentsOfFile: box.configuration, encoding: .utf8)
      try text.replacingOccurrences(of: #""sinks": ["#, with: #""sinks": [{"type": "stdout"}, "#).write(
        toFile: box.configuration, atomically: true, encoding: .utf8)
      let daemon = try box.start()
      defer { daemon.kill() }
      for _ in 0..<30 { try daemon.line(within: .seconds(60)) { _ in true } }
      try box.endDrive(daemon)
      // Events overtake telemetry here, too.
      let lines = box.lines
      while !Set(daemon.output.map(\.text)).isSuperset(of: lines) {
        try daemon.line(within: .seconds(60)) { _ in true }
      }
      daemon.send(SIGTERM)
      #expect(try daemon.end(within: .seconds(60)) == 0)
      #expect(Set(daemon.output.map(\.text)) == Set(box.lines))
    }
  }

  @Test func a_closed_stdout_ends_only_that_sink() async throws {
    try await runBlocking {
      let box = try Box()
      let text = try String(contentsOfFile: box.configuration, encoding: .utf8)
      try text.replacingOccurrences(of: #""sinks": ["#, with: #""sinks": [{"type": "stdout"}, "#).write(
        toFile: box.configuration, atomically: true, encoding: .utf8)
      let daemon = try RunningProgram(box.program, ["--config", box.configuration], readsOutput: false)
      defer { daemon.kill() }
      try box.await(5, of: daemon)
      daemon.closeOutput()
      let said = try daemon.errorLine(within: .seconds(60)) { $0.contains("stdout:") }.text
      #expect(said.hasSuffix("stdout: nobody reads it any more; the other sinks go on"), "\(said)")
      try box.await(box.lines.count + 40, of: daemon)
      #expect(daemon.errorLines.count { $0.contains("stdout") } == 1)
      try box.endDrive(daemon)
      try box.awaitNothing(daemon)
      daemon.send(SIGTERM)
      #expect(try daemon.end(within: .seconds(60)) == 0)
      #expect(try box.records.map(\.seq).sorted() == Array(1...box.lines.count))
      #expect(try box.committed() == [], "nothing is kept for a reader that has gone")
    }
  }
}

extension RunningProgram {
  /// Waits until a daemon with a backlog has opened its spool. Reading it earlier would lock it for a moment.
  func awaitSpool() throws {
    try anyErrorLine(within: .seconds(60)) { $0.hasSuffix(" wait for sinks") || $0.hasSuffix(" waits for sinks") }
  }
}
