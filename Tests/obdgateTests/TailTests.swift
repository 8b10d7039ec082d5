import Foundation
import Glibc
import Synchronization
import TestKit
import Testing

/// `obdgate tail` with daemons that send records, and with faulty ones.
@Suite struct TailTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private static func record(_ number: Int, _ type: String = "telemetry", _ more: String = "") -> String {
    #"{"type":"\#(type)","seq":\#(number)\#(more)}"#
  }

  private static let head = DaemonPeer.ok("", type: "application/jsonl")

  private func tail(_ arguments: [String] = [], readsOutput: Bool = true) throws -> RunningProgram {
    try RunningProgram(
      try Tool.obdgate, ["tail", "--socket", scratch.file("sock")] + arguments, readsOutput: readsOutput)
  }

  /// Returns the result of a stream that ends.
  private func once(_ stream: String, _ arguments: String...) throws -> Tool.Result {
    let peer = try DaemonPeer(scratch.file("sock")) { $0.send(Self.head + stream) }
    defer { peer.stop() }
    return try obdgate(["tail", "--once", "--socket", peer.path] + arguments)
  }

  // MARK: Records

  @Test func records_come_as_they_are_made() throws {
    let next = DispatchSemaphore(value: 0)
    let peer = try DaemonPeer(scratch.file("sock")) { connection in
      #expect(connection.request.hasPrefix("GET /records HTTP/1.1\r\n"))
      connection.send(Self.head)
      for number in 1...3 {
        // The record arrives in two pieces. Only a line end completes a line.
        let line = Self.record(number) + "\n"
        connection.send(String(line.prefix(9)))
        connection.send(String(line.dropFirst(9)))
        next.wait()
      }
      connection.awaitEnd()
    }
    defer { peer.stop() }
    let tail = try tail()
    defer { tail.kill() }
    for number in 1...3 {
      // Each record is printed before the next one is made.
      try tail.line(within: .seconds(60)) { $0 == Self.record(number) }
      next.signal()
    }
    tail.send(SIGINT)
    #expect(try tail.end(within: .seconds(60)) == 0)
    #expect(tail.errorLines == [])
  }

  @Test func tail_filters_by_type_and_device() throws {
    let device = #","device":"/dev/ttyUSB0""#
    let stream = [
      Self.record(1), Self.record(2, "trip"), Self.record(3, "adapter", device), Self.record(4, "gap"),
      Self.record(5, "adapter", #","device":"/dev/ttyUSB1""#),
    ].map { $0 + "\n" }.joined()
    let sequences = { (result: Tool.Result) in try PrintedJSON.lines(result.output).map { $0["seq"]?.number } }
    #expect(try sequences(once(stream)) == [1, 2, 3, 4, 5])
    #expect(try sequences(once(stream, "--type", "trip", "gap")) == [2, 4])
    #expect(try sequences(once(stream, "--type", "trip", "--type", "telemetry")) == [1, 2])
    #expect(try sequences(once(stream, "--device", "/dev/ttyUSB0")) == [3])
    #expect(try sequences(once(stream, "--type", "trip", "--device", "/dev/ttyUSB0")) == [])
  }

  @Test func lines_that_are_not_records_are_omitted_and_reported_once() throws {
    let long = Self.record(2, "telemetry", #","a":"\#(String(repeating: "a", count: 70_000))""#)
    let lines = [
      Self.record(1), "no JSON", long, "[]", "{}", #"{"type":1}"#, "\u{1B}[2J", "\u{0}", "", "{\"type\":\"x\u{1B}\"}",
      #"{"type":"dtc","name":"\#u{9B}2J"}"#, Self.record(3),
    ]
    let result = try once(lines.map { $0 + "\n" }.joined() + Self.record(4))
    #expect(
      result.lines.map(String.init) == [Self.record(1), #"{"type":"dtc","name":"\u009B2J"}"#, Self.record(3)])
    #expect(result.status == 69)
    #expect(result.errors.split(separator: "\n").filter { $0.contains("not a record") }.count == 1)
  }

  // MARK: A daemon that goes

  @Test func tail_reports_a_lost_daemon_once_and_reconnects() throws {
    let path = scratch.file("sock")
    let serve: @Sendable (DaemonPeer.Connection) -> Void = { connection in
      connection.send(Self.head + Self.record(1) + "\n" + #"{"type":"torn"#)
      connection.awaitEnd()
    }
    let first = try DaemonPeer(path, serve)
    let tail = try tail()
    defer { tail.kill() }
    try tail.line(within: .seconds(60)) { $0 == Self.record(1) }
    first.stop()
    try tail.errorLine(within: .seconds(60)) { $0.contains("waiting for it") }
    let second = try DaemonPeer(path, serve)
    defer { second.stop() }
    try tail.line(within: .seconds(60)) { $0 == Self.record(1) }
    try tail.errorLine(within: .seconds(60)) { $0.contains("connected again") }
    #expect(tail.errorLines.count == 2, "\(tail.errorLines)")
    #expect(tail.output.count == 2)
    tail.send(SIGTERM)
    #expect(try tail.end(within: .seconds(60)) == 0)
  }

  @Test func tail_once_ends_with_the_daemon() throws {
    let result = try once(Self.record(1) + "\n")
    #expect(result.output == Self.record(1) + "\n")
    #expect(result.status == 69)
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func tail_without_a_daemon_ends_at_once() throws {
    let result = try obdgate(["tail", "--socket", scratch.file("none")])
    #expect(result.status == 69)
    #expect(result.errors.contains("no such socket"))
  }

  @Test func tail_shows_the_error_of_a_daemon_with_too_many_readers() throws {
    let peer = try DaemonPeer(scratch.file("sock")) { $0.send("HTTP/1.1 503 Busy\r\n\r\ntoo many followers\n") }
    defer { peer.stop() }
    let result = try obdgate(["tail", "--socket", peer.path])
    #expect(result.status == 69)
    #expect(result.errors.contains("obdgated answers 503: too many followers"))
  }

  // MARK: Readers

  @Test func a_reader_that_leaves_ends_it_quietly_though_no_record_comes() throws {
    let asked = DispatchSemaphore(value: 0)
    let peer = try DaemonPeer(scratch.file("sock")) { connection in
      connection.send(Self.head)
      asked.signal()
      connection.awaitEnd()
    }
    defer { peer.stop() }
    let tail = try tail(readsOutput: false)
    defer { tail.kill() }
    asked.wait()
    tail.closeOutput()
    #expect(try tail.end(within: .seconds(60)) == 0)
    #expect(tail.errorLines == [])
  }

  @Test func a_stopped_reader_of_tail_costs_neither_time_nor_memory() throws {
    let sent = Mutex(0)
    let peer = try DaemonPeer(scratch.file("sock")) { connection in
      connection.send(Self.head)
      let line = Self.record(1, "telemetry", #","a":"\#(String(repeating: "a", count: 10_000))""#) + "\n"
      // Sends until the other end, which stops reading at some time, has disconnected.
      while connection.send(line) { sent.withLock { $0 += line.utf8.count } }
    }
    defer { peer.stop() }
    let tail = try tail(readsOutput: false)
    defer { tail.kill() }
    // The other end has stopped reading if nothing more was sent between two checks.
    var before = -1
    while sent.withLock({ $0 }) != before || before == 0 {
      before = sent.withLock { $0 }
      poll(nil, 0, 200)
    }
    #expect(before < 4 << 20)
    tail.send(SIGTERM)
    #expect(try tail.end(within: .seconds(60)) == 0)
  }

  @Test func tail_into_head_ends_with_status_0() throws {
    let peer = try DaemonPeer(scratch.file("sock")) { connection in
      connection.send(Self.head)
      var number = 1
      while connection.send(Self.record(number) + "\n") { number += 1 }
    }
    defer { peer.stop() }
    let program = try Tool.obdgate
    let result = try Tool.shell("'\(program)' tail --socket '\(peer.path)' | head -n 2")
    #expect(result.status == 0)
    #expect(result.lines.map(String.init) == [Self.record(1), Self.record(2)])
    #expect(result.errors.isEmpty)
  }

  @Test func a_type_that_no_record_has_is_wrong_usage() throws {
    let result = try obdgate(["tail", "--type", "telemtry"])
    #expect(result.status == 64)
    #expect(result.errors.contains("expected telemetry, vehicle"))
  }
}
