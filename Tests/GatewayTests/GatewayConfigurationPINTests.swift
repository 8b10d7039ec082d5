import Glibc
import Sinks
import TestKit
import Testing

@testable import Gateway

@Suite struct GatewayConfigurationPINTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func adapter(_ kind: String, pin text: String, mode: mode_t = 0o600) throws -> GatewayConfiguration.Adapter {
    let path = try scratch.write("obd.pin", text)
    #expect(unsafe chmod(path, mode) == 0)
    let configuration = #"{"adapters":[{"\#(kind)":"AA:BB:CC:00:00:01","pinFile":"obd.pin"}]}"#
    return try GatewayConfiguration(parsing: Array(configuration.utf8), file: scratch.file("gateway.json")).adapters[0]
  }

  @Test func a_pin_is_read_from_its_file_beside_the_configuration() throws {
    #expect(try adapter("rfcomm", pin: "Ab12\n").readPIN() == "Ab12")
    #expect(try adapter("ble", pin: "012345").readPIN() == "012345")
    #expect(try adapter("ble", pin: "1", mode: 0o640).readPIN() == "1")
  }

  @Test(arguments: [("ble", "secret"), ("ble", "1234567"), ("rfcomm", "sec ret"), ("rfcomm", "")])
  func an_invalid_pin_is_rejected_and_not_shown(_ row: (kind: String, text: String)) throws {
    let adapter = try adapter(row.kind, pin: row.text)
    let error = #expect(throws: SinkError.self) { try adapter.readPIN() }
    #expect(error?.kind == .badFile)
    let message = error.map { "\($0)" } ?? ""
    #expect(message.contains("obd.pin") && (row.text.isEmpty || !message.contains(row.text)), "\(message)")
  }

  @Test func a_world_readable_or_missing_pin_file_is_rejected() throws {
    let open = try adapter("rfcomm", pin: "1234", mode: 0o644)
    let error = #expect(throws: SinkError.self) { try open.readPIN() }
    #expect(error?.detail.contains("chmod 600") == true)
    #expect(unsafe unlink(scratch.file("obd.pin")) == 0)
    #expect(throws: SinkError.self) { try open.readPIN() }
  }

  @Test func a_pin_in_a_configuration_that_everyone_may_read_is_a_warning() throws {
    let text = #"{"adapters":[{"tcp":"elm"},{"rfcomm":"AA:BB:CC:00:00:01","pin":"6789"}]}"#
    let file = try scratch.write("gateway.json", text)
    for (mode, count) in [(mode_t(0o644), 1), (0o640, 0), (0o600, 0)] {
      #expect(unsafe chmod(file, mode) == 0)
      let warnings = try Settings(path: file).warnings
      #expect(warnings.count == count, "\(mode): \(warnings)")
      #expect(warnings.allSatisfy { $0.contains("adapters[1].pin") && $0.contains("pinFile") && !$0.contains("6789") })
      // The service's user does not own the file and reads it through its group.
      #expect(warnings.allSatisfy { $0.contains("chgrp obdgate \(file) && chmod 640 \(file)") })
    }
    let other = try scratch.write("other.json", #"{"adapters":[{"tcp":"elm"}]}"#)
    #expect(unsafe chmod(other, 0o644) == 0)
    #expect(try Settings(path: other).warnings == [])
  }
}
