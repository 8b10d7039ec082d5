import Foundation
import Testing

@testable import Gateway
@testable import GatewayForwarding

@Suite struct VSSNamesTests {
  private func renamed(_ line: String) -> String {
    var out: [UInt8] = []
    VSSNames().write(Array(line.utf8).span, to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  private static let head = #"{"type":"telemetry","id":"1","gatewayId":"speed","vehicleId":"a\"b","epoch":"e","seq":7"#

  @Test func values_have_vss_paths_and_other_keys_are_unchanged() {
    let line = Self.head + #","speed":50,"rpm":800.5,"dtcCodes":["P0420"],"latitude":48.1,"fixType":"3d"}"# + "\n"
    #expect(
      renamed(line) == Self.head
        + #","vss":"6.0","Vehicle.Speed":50,"Vehicle.Powertrain.CombustionEngine.Speed":800.5,"#
        + #""Vehicle.Diagnostics.DTCList":["P0420"],"Vehicle.CurrentLocation.Latitude":48.1,"fixType":"3d"}"# + "\n")
  }

  @Test func values_of_other_ecus_have_vss_paths_and_texts_are_unchanged() {
    let line = Self.head + #","note":"speed\":1","ecus":{"7E9":{"speed":51},"speed":{"x":1}},"x":["speed"]}"#
    #expect(
      renamed(line) == Self.head
        + #","vss":"6.0","note":"speed\":1","ecus":{"7E9":{"Vehicle.Speed":51},"speed":{"x":1}},"x":["speed"]}"#)
  }

  @Test func a_record_that_would_be_too_long_keeps_its_plain_names() {
    let line = Self.head + #","speed":1,"note":""# + String(repeating: "n", count: 16_384 - 125) + "\"}\n"
    #expect(line.utf8.count < 16_384)
    #expect(renamed(line) == line)
  }
}
