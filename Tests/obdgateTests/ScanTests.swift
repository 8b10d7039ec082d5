import Foundation
import TestKit
import Testing

/// `scan`, and commands without --device, on a machine whose devices umockdev plugs in.
@Suite struct ScanTests {
  private static let obdlink = """
    "socket": "1-1", "number": 0, "vendor": "0403", "product": "6015", "serial": "113011099400",
    "maker": "ScanTool.net LLC", "name": "OBDLink SX"
    """
  private static let ch340 = """
    "socket": "1-2", "number": 1, "vendor": "1a86", "product": "7523", "name": "USB2.0-Serial"
    """

  /// Runs a command on a machine with a simulated adapter behind each device, and returns the commands sent to each.
  ///
  /// - Parameter devices: steps of `scripts/testbed/udev.py` without the simulated adapters.
  private func run(
    _ arguments: [String], _ devices: [String]
  ) async throws -> (result: Tool.Result, sent: [[String]]) {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let line = "\"$OBDGATE\" \(arguments.joined(separator: " "))"
      let played = try play(line, pluggingIn: devices, in: scratch.path)
      return (played.result, played.logs.map(\.commands))
    }
  }

  @Test func a_scan_sends_only_to_known_adapters() async throws {
    let devices = [
      Self.obdlink, Self.ch340,
      Self.ch340.replacing("1-2", with: "1-3").replacing("\"number\": 1", with: "\"number\": 2")
        + ", \"properties\": {\"OBDGATE\": \"ignore\"}",
      Self.ch340.replacing("1-2", with: "1-4").replacing("\"number\": 1", with: "\"number\": 3")
        + ", \"properties\": {\"OBDGATE\": \"adapter\"}",
    ]
    let (result, sent) = try await run(["scan", "--json"], devices)
    #expect(result.status == 0, "\(result.errors)")
    let rows = try PrintedJSON.lines(result.output)
    try #require(rows.count == 4, "\(result.output)")
    #expect(rows.compactMap { $0["device"]?.text } == (0...3).map { "/dev/ttyUSB\($0)" })
    #expect(rows.map { $0["kind"] } == ["adapter", "unknown", "unknown", "adapter"])
    #expect(rows.map { $0["reason"] } == ["knownProduct", "notProbed", "ignored", "tagged"])
    #expect(
      rows[0].without(["protocol"])
        == .object([
          "device": "/dev/ttyUSB0", "key": "usb:0403:6015:113011099400", "label": "ScanTool.net LLC OBDLink SX",
          "kind": "adapter", "reason": "knownProduct", "baud": 38400, "identity": "ELM327 v1.5", "vehicleAnswers": true,
        ]))
    #expect(rows[3]["vehicleAnswers"] == true)
    #expect(rows[1]["identity"] == nil)
    // Each device has an adapter, which would have answered.
    #expect(sent[0].first == "ATZ")
    #expect(sent[1] == [])
    #expect(sent[2] == [])
    #expect(sent[3].first == "ATZ")
  }

  @Test func a_bridge_that_sends_sentences_is_a_receiver_and_is_sent_nothing() async throws {
    let played = try await runBlocking {
      let scratch = try ScratchFolder()
      let sentence = "$GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*76\r\n"
      // The receiver sends twenty sentences a second, so that listening for two seconds is enough even on a busy
      // machine.
      let device = "\(Self.ch340), \"says\": \"\(try scratch.write("track.nmea", sentence))\""
      return try play("\"$OBDGATE\" scan --json", pluggingIn: [device], behind: nil, in: scratch.path)
    }
    let result = played.result
    let rows = try PrintedJSON.lines(result.output)
    #expect(rows.count == 1)
    #expect(rows.first?["kind"] == "receiver")
    #expect(rows.first?["reason"] == "heard")
    #expect(result.errors.contains("ttyUSB1 was sent 0 bytes"), "\(result.errors)")
  }

  @Test func the_table_has_a_line_for_each_device() async throws {
    let (result, _) = try await run(["scan"], [Self.obdlink, Self.ch340])
    #expect(result.status == 0)
    try #require(result.lines.count == 3, "\(result.output)")
    #expect(result.lines.first?.hasPrefix("DEVICE") == true)
    #expect(result.lines[1].contains("ELM327 v1.5, 38400 baud, vehicle: ISO 15765-4 (CAN 11/500)"))
    #expect(result.lines[2].contains("notProbed"))
  }

  @Test func a_question_without_a_device_goes_to_the_only_adapter() async throws {
    let (result, sent) = try await run(["vin"], [Self.obdlink, Self.ch340])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "1D4GP00RX5B123456\n")
    #expect(sent[1] == [])
  }

  @Test func several_adapters_are_named_and_none_is_asked() async throws {
    let second = Self.ch340 + ", \"properties\": {\"OBDGATE\": \"adapter\"}"
    let (result, sent) = try await run(["vin"], [Self.obdlink, second])
    #expect(result.status == 64)
    #expect(result.errors.contains("several adapters: /dev/ttyUSB0 (ScanTool.net LLC OBDLink SX), /dev/ttyUSB1"))
    #expect(sent == [[], []])
  }

  @Test func a_device_that_may_be_an_adapter_is_named_and_not_asked() async throws {
    let (result, sent) = try await run(["dtc"], [Self.ch340])
    #expect(result.status == 69)
    #expect(result.errors.contains("not asked: /dev/ttyUSB1 (USB2.0-Serial)"))
    #expect(result.errors.contains("--device"))
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(sent == [[]])
  }
}
