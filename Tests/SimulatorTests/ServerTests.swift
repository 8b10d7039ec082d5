import Foundation
import Simulator
import TestKit
import Testing

@testable import SimulatorTestKit

/// The simulator as a port of this machine.
@Suite(.serialized) struct ServerTests {
  @Test func a_pty_can_be_closed_and_opened_again_by_the_host() throws {
    let scratch = try ScratchFolder()
    var options = SimulatorOptions()
    options.port = .pty(link: scratch.file("elm"))
    options.scenario = try scratch.write("car.json", Cars.can11)
    options.log = scratch.file("dialogue.capture")
    let simulator = try RunningSimulator(options)
    let name = try simulator.name()
    #expect(name.hasPrefix("/dev/pts/"))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scratch.file("elm")) == name)
    let host = try Host(terminal: scratch.file("elm"))
    #expect(try host.request("ATE0") == "ATE0\rOK\r\r>")
    #expect(try host.request("ATSP6") == "OK\r\r>")
    #expect(try host.request("010C1") == "41 0C 1A F8 \r\r>")
    host.hangUp()
    // The power stays on, so the settings stay as they were.
    let again = try Host(terminal: name)
    #expect(try again.request("010D1") == "41 0D 7B \r\r>")
    again.hangUp()
    try simulator.stop()
    #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: scratch.file("elm"))) == nil)
    let log = try String(contentsOfFile: scratch.file("dialogue.capture"), encoding: .utf8)
    #expect(log.hasPrefix("# obdgate-capture 1\n# vehicle: simulated can11/500   adapter: ELM327 v1.5"))
    #expect(said(in: log, "> ") == #"ATE0\rATSP6\r010C1\r010D1\r"#)
    #expect(said(in: log, "< ") == #"ATE0\rOK\r\r>OK\r\r>41 0C 1A F8 \r\r>41 0D 7B \r\r>"#)
  }

  /// Returns all bytes of one direction in a log.
  private func said(in log: String, _ direction: String) -> String {
    log.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      return parts[1].hasPrefix(direction) ? String(parts[1].dropFirst(2)) : nil
    }.joined()
  }

  @Test func a_log_has_times_that_never_go_back_and_the_wires_pace() throws {
    let scratch = try ScratchFolder()
    var options = SimulatorOptions()
    options.port = .tcp(0)
    options.baud = 9600
    options.log = scratch.file("dialogue.capture")
    let simulator = try RunningSimulator(options)
    let host = try Host(port: try port(of: simulator))
    _ = try host.request("ATI")
    try simulator.stop()
    let lines = try String(contentsOfFile: scratch.file("dialogue.capture"), encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
    let times = lines.compactMap { Double($0.split(separator: " ")[0]) }
    #expect(times == times.sorted() && times.count == lines.count)
    let first = try #require(lines.first { $0.contains(" > ") }.flatMap { Double($0.split(separator: " ")[0]) })
    // One byte is sent before the echo begins, and 18 bytes come back, at 1.04 ms each. They are never faster than the
    // wire.
    let last = try #require(times.last)
    #expect(last - first >= 19 * 10.0 / 9600)
  }

  private func port(of simulator: RunningSimulator) throws -> UInt16 {
    let name = try simulator.name()
    return try #require(name.split(separator: ":").last.flatMap { UInt16($0) })
  }

  @Test func a_tcp_port_takes_one_client_at_a_time() throws {
    var options = SimulatorOptions()
    options.port = .tcp(0)
    let simulator = try RunningSimulator(options)
    let port = try port(of: simulator)
    let host = try Host(port: port)
    #expect(try host.request("ATE0") == "ATE0\rOK\r\r>")
    let second = try Host(port: port)
    #expect(try second.read() == [])
    #expect(try host.request("ATI") == "ELM327 v1.5\r\r>")
    host.hangUp()
    #expect(try asksAgain(port) == "ELM327 v1.5\r\r>")
    try simulator.stop()
  }

  /// Asks again until an answer arrives: until the simulator has noticed that the first client has disconnected, it
  /// rejects others.
  private func asksAgain(_ port: UInt16) throws -> String {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      let host = try Host(port: port)
      if let answer = try? host.request("ATI") { return answer }
    }
    return ""
  }

  @Test func a_strict_adapter_is_understood_at_its_own_baud_rate_only() throws {
    let scratch = try ScratchFolder()
    var options = SimulatorOptions()
    options.scenario = try scratch.write("strict.json", #"{"adapter": {"strictBaud": true, "baud": 115200}}"#)
    let simulator = try RunningSimulator(options)
    let host = try Host(terminal: try simulator.name())
    try host.send("ATI")
    // Characters are garbled in both directions. When all of them have come back, all were received, and none is read
    // at another rate.
    let echo = try host.hear(count: 4)
    #expect(echo.count == 4 && echo.allSatisfy { $0 >= 0x80 }, "\(echo)")
    host.set(speed: Int32(B115200))
    // Characters that arrived in between form one line that is not understood.
    #expect(try host.request("").hasSuffix("?\r\r>"))
    #expect(try host.request("ATI") == "ATI\rELM327 v1.5\r\r>")
    // OK is sent at the old rate, the identity at the new one.
    #expect(try host.request("ATBRT00") == "ATBRT00\rOK\r\r>")
    try host.send("ATBRD11")
    #expect(try host.hear(until: "OK\r") == "ATBRD11\rOK\r")
    host.set(speed: Int32(B230400))
    #expect(try host.hear(until: "v1.5\r").hasSuffix("v1.5\r"))
    try simulator.stop()
  }

  @Test func an_unplugged_adapter_keeps_its_tcp_port_and_rejects_connections() throws {
    var options = SimulatorOptions()
    options.port = .tcp(0)
    options.faults = "unplug@0s..600s"
    let simulator = try RunningSimulator(options)
    let port = try port(of: simulator)
    let deadline = ContinuousClock.now + .seconds(60)
    while (try? Host(port: port)) != nil, .now < deadline {}
    #expect(throws: Host.Failure.self) { try Host(port: port) }
    #expect(Host.canBind(port) == false)
    try simulator.stop()
    // A program that another test is starting has copies of its sockets until it runs.
    #expect(try Tool.withoutBirths { Host.canBind(port) })
  }

  @Test func an_unplugged_adapter_hangs_up_and_comes_back_elsewhere() throws {
    let scratch = try ScratchFolder()
    var options = SimulatorOptions()
    options.port = .pty(link: scratch.file("elm"))
    options.faults = "unplug@10s..11s"
    let simulator = try RunningSimulator(options)
    _ = try simulator.name()
    let host = try Host(terminal: scratch.file("elm"))
    #expect(try host.read() == [])
    host.hangUp()
    let name = try simulator.name(1)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scratch.file("elm")) == name)
    #expect(try Host(terminal: name).request("ATI") == "ATI\rELM327 v1.5\r\r>")
    try simulator.stop()
  }

  @Test func an_existing_file_is_not_overwritten_by_the_link_to_the_terminal() throws {
    let scratch = try ScratchFolder()
    var options = SimulatorOptions()
    options.port = .pty(link: try scratch.write("elm", "precious"))
    let simulator = try RunningSimulator(options)
    #expect(throws: SimulatorError.self) { try simulator.name() }
    #expect(try String(contentsOfFile: scratch.file("elm"), encoding: .utf8) == "precious")
  }

  @Test func wrong_simulator_options_are_reported_before_the_start() throws {
    let scratch = try ScratchFolder()
    func failure(_ change: (inout SimulatorOptions) -> Void) -> (SimulatorError.Kind, String)? {
      var options = SimulatorOptions()
      change(&options)
      do {
        try runSimulator(options) { _ in }
        return nil
      } catch {
        return (error.kind, error.description)
      }
    }
    let path = try scratch.write("bad.json", #"{"seeds": 1}"#)
    #expect(failure { $0.faults = "nul=2" }?.0 == .usage)
    #expect(failure { $0.baud = 1 }?.1 == "baud 1: expected 300 to 4000000")
    #expect(failure { $0.scenario = scratch.file("none.json") }?.0 == .noInput)
    #expect(failure { $0.scenario = scratch.path }?.0 == .noInput)
    #expect(failure { $0.log = scratch.file("no/such/folder") }?.0 == .inputOutput)
    let bad = failure { $0.scenario = path }
    #expect(bad?.0 == .badScenario)
    #expect(bad?.1 == #"\#(path):1:2: seeds: unknown key "seeds"; did you mean "seed"?"#)
  }
}
