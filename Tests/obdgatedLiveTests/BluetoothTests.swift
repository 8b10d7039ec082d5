import Foundation
import Glibc
import TestKit
import Testing

@testable import DaemonTestKit

/// Adapters behind a program that imitates BlueZ, with a simulated car connected by Bluetooth.
@Suite struct BluetoothTests {
  private static let address = "AA:BB:CC:00:00:01"
  private static func long(_ uuid: String) -> String { "0000\(uuid)-0000-1000-8000-00805f9b34fb" }

  /// Returns a scene with one adapter.
  ///
  /// - Parameter facts: further members of the device.
  private static func scene(_ facts: String, peer: String? = nil) -> String {
    let flags = #"["notify", "write-without-response"]"#
    return """
      {"devices": [{"address": "\(address)", "name": "OBDBLE", "uuids": ["\(long("ffe0"))"], "quiet": true,
        \(peer.map { "\"peer\": \"\($0)\"," } ?? "") \(facts),
        "services": [{"uuid": "\(long("ffe0"))",
          "characteristics": [{"uuid": "\(long("ffe1"))", "flags": \(flags)}]}]}]}
      """
  }

  /// A daemon, a bus and a car.
  private final class Drive {
    let bed: BluetoothBed
    let car: SimulatedAdapter
    let daemon: RunningProgram
    private let scratch: ScratchFolder
    private let file: String

    static func start(_ facts: String, _ settings: String) throws -> Drive {
      let program = try Tool.obdgated
      let scratch = try ScratchFolder()
      let car = try SimulatedAdapter(.tcp(0), scenario: Scenarios.car(), in: scratch.path)
      do {
        let bed = try BluetoothBed.start(BluetoothTests.scene(facts, peer: try car.name))
        return try Drive(program, scratch, car, bed, settings)
      } catch {
        car.stop()
        throw error
      }
    }

    private init(
      _ program: String, _ scratch: consuming ScratchFolder, _ car: SimulatedAdapter, _ bed: BluetoothBed,
      _ settings: String
    ) throws {
      self.scratch = scratch
      self.car = car
      self.bed = bed
      file = self.scratch.file("gateway.json")
      try Self.text(settings).write(toFile: file, atomically: true, encoding: .utf8)
      daemon = try RunningProgram(program, ["--config", file], environment: ["DBUS_SYSTEM_BUS_ADDRESS": bed.bus])
    }

    deinit {
      daemon.kill()
      car.stop()
    }

    private static func text(_ settings: String) -> String {
      #"{"gatewayId": "gw-test", \#(DaemonRun.quick), \#(settings)}"#
    }

    /// Writes a file next to the configuration.
    func write(_ name: String, _ text: String, mode: mode_t) throws {
      let path = try scratch.write(name, text)
      #expect(unsafe chmod(path, mode) == 0)
    }

    func reload(_ settings: String) throws {
      try Self.text(settings).write(toFile: file, atomically: true, encoding: .utf8)
      daemon.send(SIGHUP)
    }

    func awaitReadings(_ count: Int) throws {
      for _ in 0..<count { try daemon.line(within: .seconds(60)) { $0.contains("\"rpm\":1726") } }
    }
  }

  private static let silent = #""discovery": {"serial": false, "bluetooth": false}"#
  private static let named = #""adapters": [{"ble": "\#(address)"}], \#(silent)"#

  @Test(arguments: [#""sockets": true"#, #""sockets": false"#, #""sockets": true, "piece": 1"#])
  func an_adapter_with_bluetooth_le_is_polled_and_regained(_ facts: String) async throws {
    try await runBlocking {
      let drive = try Drive.start(facts, Self.named)
      try drive.awaitReadings(3)
      try drive.bed.order(#"{"do": "disconnect"}"#)
      try drive.daemon.line(within: .seconds(60)) { $0.contains("\"event\":\"lost\"") }
      try drive.daemon.line(within: .seconds(60)) { $0.contains("\"event\":\"recovered\"") }
      try drive.awaitReadings(3)
      // The same applies when bluetoothd is restarted, which also ends the connection.
      try drive.bed.order(#"{"do": "leave"}"#)
      try drive.bed.order(#"{"do": "disconnect"}"#)
      try drive.bed.order(#"{"do": "return"}"#)
      try drive.daemon.line(within: .seconds(60)) { $0.contains("\"event\":\"recovered\"") }
      try drive.awaitReadings(1)
      drive.daemon.send(SIGTERM)
      #expect(try drive.daemon.end(within: .seconds(60)) == 0)
      // The adapter needs no key.
      #expect(!drive.bed.events.contains { $0.hasPrefix("agent") })
    }
  }

  /// The first PIN is tried while BlueZ still ends the connection that was refused, or directly after that.
  @Test(arguments: [
    (#""sockets": true, "leaves": 2.0"#, ["1234", "0"]), (#""sockets": false"#, ["1234", "0"]),
    (#""sockets": true"#, ["1234"]),
  ])
  func a_bluetooth_le_adapter_that_requires_a_key_is_paired_and_polled(
    _ row: (facts: String, passkeys: [String])
  ) async throws {
    try await runBlocking {
      let more = #", "wants key": true, "passkey": \#(row.passkeys.last!), "pairing connects": true"#
      let drive = try Drive.start(row.facts + more, Self.named)
      try drive.daemon.line(within: .seconds(60)) { $0.contains("\"reason\":\"notPaired\"") }
      for passkey in row.passkeys { try drive.bed.event("passkey \(passkey)") }
      try drive.daemon.errorLine(within: .seconds(60)) { $0 == "obdgated: ble:\(Self.address): paired" }
      try drive.awaitReadings(3)
      #expect(drive.bed.events.contains("trusted"))
      let former = drive.bed.events.count { $0 == "disconnect" }
      drive.daemon.send(SIGTERM)
      #expect(try drive.daemon.end(within: .seconds(60)) == 0)
      // The connection was made for the pairing. The line uses it and then ends it.
      try drive.bed.event("disconnect")
      #expect(drive.bed.events.count { $0 == "disconnect" } == former + 1)
    }
  }

  @Test func a_new_configuration_retries_abandoned_pairings() async throws {
    try await runBlocking {
      let settings = #""adapters": [{"rfcomm": "\#(Self.address)", "pin": "824682"}], \#(Self.silent)"#
      let drive = try Drive.start(#""pins": ["735173"]"#, settings)
      for _ in 0..<2 {
        for _ in 0..<2 { try drive.bed.event("pin 824682") }
        try drive.daemon.errorLine(within: .seconds(60)) { $0.contains("not paired: it rejects its \"pin\"") }
        try drive.reload(settings)
      }
    }
  }

  @Test func an_adapter_that_the_owner_trusts_is_found() async throws {
    try await runBlocking {
      let drive = try Drive.start(#""sockets": true, "trusted": true"#, #""discovery": {"serial": false}"#)
      try drive.awaitReadings(2)
      #expect(drive.daemon.output.contains { $0.text.contains("\"device\":\"ble:\(Self.address)\"") })
      // The adapter is not configured, so it is not paired.
      #expect(!drive.bed.events.contains { $0.hasPrefix("agent") })
    }
  }

  private static let pinFile = #""adapters": [{"rfcomm": "AA:BB:CC:00:00:01", "pinFile": "obd.pin"}], \#(silent)"#

  @Test func a_pin_may_stand_in_a_file_beside_the_configuration() async throws {
    try await runBlocking {
      let drive = try Drive.start(#""pins": ["735173"]"#, Self.pinFile)
      // No other PIN is tried meanwhile.
      try drive.daemon.errorLine(within: .seconds(60)) { $0.contains("obd.pin: cannot be read") }
      try drive.write("obd.pin", "735173\n", mode: 0o600)
      try drive.reload(Self.pinFile)
      try drive.bed.event("pin 735173")
      try drive.daemon.errorLine(within: .seconds(60)) { $0 == "obdgated: rfcomm:\(Self.address): paired" }
      drive.daemon.send(SIGTERM)
      #expect(try drive.daemon.end(within: .seconds(60)) == 0)
      let told = drive.daemon.errorLines
      #expect(!told.contains { $0.contains("735173") })
    }
  }

  @Test func an_adapter_is_paired_with_the_configured_pin_which_is_not_shown() async throws {
    try await runBlocking {
      func settings(_ pin: String) -> String {
        #""adapters": [{"rfcomm": "\#(Self.address)", "pin": "\#(pin)"}], \#(Self.silent)"#
      }
      let drive = try Drive.start(#""pins": ["735173"]"#, settings("824682"))
      try drive.bed.event("pin 824682")
      try drive.reload(settings("735173"))
      try drive.bed.event("pin 735173")
      try drive.bed.event("trusted")
      try drive.bed.event("agent gone")
      try drive.daemon.errorLine(within: .seconds(60)) { $0 == "obdgated: rfcomm:\(Self.address): paired" }
      drive.daemon.send(SIGTERM)
      #expect(try drive.daemon.end(within: .seconds(60)) == 0)
      let told = drive.daemon.output.map(\.text) + drive.daemon.errorLines
      #expect(!told.contains { $0.contains("735173") || $0.contains("824682") })
    }
  }
}
