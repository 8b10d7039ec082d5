import Foundation
import TestKit
import Testing

/// The commands in ```` ```sh vehicle ```` blocks of the documentation, with a connected adapter and a stationary
/// vehicle whose ignition is on.
@Suite struct VehicleCommandsTests {
  static let pages = (try? DocumentedCommands.all(.vehicle)) ?? []

  private static let adapter = """
    "socket": "1-1", "number": 0, "vendor": "0403", "product": "6015", "serial": "113011099400",
    "maker": "ScanTool.net LLC", "name": "OBDLink SX"
    """

  @Test(arguments: pages)
  func every_command_is_answered_by_the_vehicle(_ page: DocumentedCommands) async throws {
    try Tool.required("jq")
    try await runBlocking {
      let scratch = try ScratchFolder()
      try scratch.write("ford.csv", "code,text,make\nP0420,tired of cleaning,\n")
      // The machine's real Bluetooth is not used.
      let words = ["env", "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere"] + (try page.command())
      let line = words.map { "'\($0.replacing("'", with: "'\\''"))'" }.joined(separator: " ")
      let simulation = Simulation(scenario: Scenarios.can)
      let played = try play(
        line, pluggingIn: [Self.adapter], behind: simulation, in: scratch.path, limit: DocumentedCommands.limit)
      let output = played.result.output
      #expect(played.result.status == 0, "\(page): \(output)\(played.result.errors)")
      for text in [
        "/dev/ttyUSB0  adapter", "ELM327 v1.5", "1D4GP00RX5B123456", "P0420", "tired of cleaning", "\"speed\": 0",
      ] {
        #expect(output.contains(text), "\(text) in \(output)")
      }
      #expect(played.commands.contains("04"), "codes are cleared")
      let replayed = try obdgate(["replay", scratch.file("drive.capture")])
      #expect(try records(replayed).of("telemetry").contains { $0["rpm"] == 0 })
    }
  }
}
