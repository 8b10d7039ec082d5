import Simulator
import Testing

@testable import SimulatorTestKit

/// SAE J1979-2: services 19 and 22.
@Suite struct OBDonUDSTests {
  private static let car = Cars.idling(
    "can11/500",
    ecus: Cars.engine(
      "7E8",
      more: #"""
        "troubleCodes": [{"code": "P0420-11", "at": 0, "permanent": true}, {"code": "U0100", "pending": 0}]
        """#), more: #""dialect": "obdOnUDS","#)

  private func host() throws -> SimulatedDialogue {
    var host = try SimulatedDialogue(Self.car)
    host.prepare("ATE0", "ATSP6")
    return host
  }

  @Test func a_search_by_0100_fails_and_22f400_on_a_fixed_bus_answers() throws {
    var host = try SimulatedDialogue(Self.car)
    host.prepare("ATE0", "ATSP0")
    #expect(host.request("0100") == "SEARCHING...\rUNABLE TO CONNECT\r\r>")
    host.prepare("ATSP6")
    #expect(host.request("0100") == "NO DATA\r\r>")
    #expect(host.request("22F400") == "62 F4 00 88 18 00 00 \r\r>")
  }

  @Test func service_22_answers_parameters_by_their_data_identifiers() throws {
    var host = try host()
    #expect(host.request("22F40C") == "62 F4 0C 1A F8 \r\r>")
    #expect(host.request("22F40CF40D") == "008 \r0: 62 F4 0C 1A F8 F4 \r1: 0D 7B 00 00 00 00 00 \r\r>")
    #expect(host.request("22F4A6") == "NO DATA\r\r>")
    host.prepare("ATSH7E0")
    #expect(host.request("22F4A6") == "7F 22 31 \r\r>")
    #expect(host.request("010C") == "7F 01 11 \r\r>")
  }

  @Test func data_identifier_F802_returns_the_vin() throws {
    var host = try host()
    #expect(
      host.request("22F802") == "014 \r0: 62 F8 02 31 44 34 \r1: 47 50 30 30 52 35 35 \r2: 42 31 32 33 34 35 36 \r\r>")
  }

  @Test func service_19_returns_codes_with_their_status() throws {
    var host = try host()
    #expect(
      host.request("194233FF1E")
        == "010 \r0: 59 42 33 8D E0 04 \r1: 40 04 20 11 8D 40 C1 \r2: 00 00 05 00 00 00 00 \r\r>")
    // Confirmed only.
    #expect(host.request("194233081E") == "00B \r0: 59 42 33 8D E0 04 \r1: 40 04 20 11 8D 00 00 \r\r>")
    #expect(host.request("195533") == "009 \r0: 59 55 33 8D 04 04 \r1: 20 11 8D 00 00 00 00 \r\r>")
    #expect(host.request("190208") == "59 02 8D 04 20 11 8D \r\r>")
  }

  @Test func service_14_clears_codes_except_permanent_ones() throws {
    var host = try host()
    #expect(host.request("14FFFF33") == "54 \r\r>")
    #expect(host.request("194233FF1E") == "59 42 33 8D E0 04 \r\r>")
    #expect(host.request("195533") == "009 \r0: 59 55 33 8D 04 04 \r1: 20 11 00 00 00 00 00 \r\r>")
  }
}
