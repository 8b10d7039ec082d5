import Foundation
import TestKit
import Testing

/// Receivers that udev reports, on a machine whose devices umockdev emulates.
@Suite struct ReceiverPluggingTests {
  private static func track(in scratch: borrowing ScratchFolder) throws -> String {
    var sentences = ""
    for second in 0..<60 {
      let time = String(format: "1200%02d.00", second)
      for body in [
        "GPRMC,\(time),A,4800.0060,N,01130.0000,E,0.0,,050327,,,A",
        "GPGGA,\(time),4800.0060,N,01130.0000,E,1,09,0.9,520.0,M,47.0,M,,",
      ] {
        sentences += String(format: "$%@*%02X\r\n", body, body.utf8.reduce(0, ^))
      }
    }
    return try scratch.write("track.nmea", sentences)
  }

  /// Checks that a receiver is discovered.
  ///
  /// - Parameters:
  ///   - ids: vendor, product and name of the USB device.
  ///   - ground: the reason why the daemon considers it a receiver.
  @Test(arguments: [
    // u-blox 7 is known by its IDs. Any device may have a CH340; its sentences identify it.
    (["1546", "01a7", "u-blox 7 - GPS/GNSS Receiver"], "receiver: knownProduct"),
    (["1a86", "7523", "USB2.0-Serial"], "receiver: heard"),
  ])
  func a_receiver_that_is_plugged_in_gives_positions_until_it_is_pulled_out(_ ids: [String], _ ground: String)
    async throws
  {
    let wrapper = try Tool.required("umockdev-wrapper")
    let program = try Tool.obdgated
    try PluggingTests.requireModules()
    try await runBlocking {
      let scratch = try ScratchFolder()
      let steps = try scratch.write(
        "steps.json",
        """
        [{"start": true},
         {"plug": "g", "socket": "1-1", "number": 0, "vendor": "\(ids[0])", "product": "\(ids[1])",
          "name": "\(ids[2])", "says": "\(try Self.track(in: scratch))"},
         {"await": "\\"latitude\\":48.0001"}, {"unplug": "g"}, {"await": "\\"event\\":\\"lost\\""}, {"tell": "over"}]
        """)
      let configuration = try scratch.write(
        "gateway.json", #"{"gatewayId": "gw-test", "discovery": {"bluetooth": false}, "record": {"period": 0.2}}"#)
      let machine = try RunningProgram(
        wrapper,
        [
          "/usr/bin/python3", TestData.projectRoot + "/scripts/testbed/udev.py", steps, program, "--config",
          configuration,
        ])
      defer { machine.kill() }
      // The script has a shorter limit for its own waits, and reports them.
      try machine.errorLine(within: .seconds(120)) { $0 == "over" }
      machine.send(SIGTERM)
      #expect(try machine.end(within: .seconds(120)) == 0)
      let lines = machine.output.map(\.text)
      let adapters = lines.filter { $0.contains(#""type":"adapter""#) }
      #expect(adapters.first?.contains(#""event":"found","device":"/dev/ttyUSB0""#) ?? false, "\(adapters)")
      #expect(adapters.first?.contains(ground) ?? false, "\(adapters)")
      #expect(adapters.dropFirst().first?.contains(#""event":"connected""#) ?? false, "\(adapters)")
      #expect(lines.contains { $0.contains(#""type":"telemetry""#) && $0.contains(#""longitude":11.5,"#) })
    }
  }
}
