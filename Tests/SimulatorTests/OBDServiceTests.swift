import Simulator
import Testing

@testable import SimulatorTestKit

/// Answers of ECUs to each service of SAE J1979 on CAN.
@Suite struct OBDServiceTests {
  /// Returns a car whose drive has known times: 10 s idle, 20 s to accelerate to 100 km/h, 40 s at this speed, then
  /// braking and idle.
  private static func car(_ codes: String, more: String = "") -> String {
    """
    {"cars": [{"bus": "can11/500", "noise": 0, "ambient": 20, \(more) "drive": {"phases": [
      {"phase": "idle", "seconds": 10}, {"phase": "accelerate", "seconds": 20, "speed": 100},
      {"phase": "cruise", "seconds": 40}, {"phase": "brake", "seconds": 10, "speed": 0},
      {"phase": "idle", "seconds": 1000}]},
      "ecus": [{"address": "7E8", "troubleCodes": [\(codes)]}]}]}
    """
  }

  private static let codes =
    #"{"code": "P0420", "pending": 20, "at": 30, "permanent": true}, {"code": "U0100", "at": 40, "mil": false}"#

  private static func host(_ json: String) throws -> SimulatedDialogue {
    var host = try SimulatedDialogue(json)
    host.prepare("ATE0", "ATSP6")
    return host
  }

  /// Advances the time to a second of the drive.
  private func go(_ host: inout SimulatedDialogue, to second: Int) { host.wait(.seconds(second) - host.now) }

  @Test func codes_appear_when_their_time_has_come() throws {
    var host = try Self.host(Self.car(Self.codes))
    #expect(host.request("03") == "43 00 \r\r>")
    #expect(host.request("0101") == "41 01 00 07 E5 00 \r\r>")
    go(&host, to: 21)
    #expect(host.request("07") == "47 01 04 20 \r\r>")
    #expect(host.request("03") == "43 00 \r\r>")
    go(&host, to: 31)
    #expect(host.request("03") == "43 01 04 20 \r\r>")
    #expect(host.request("0A") == "4A 01 04 20 \r\r>")
    #expect(host.request("0101") == "41 01 81 07 E5 00 \r\r>")
    go(&host, to: 41)
    #expect(host.request("03") == "43 02 04 20 C1 00 \r\r>")
    #expect(host.request("0101") == "41 01 82 07 E5 00 \r\r>")
  }

  @Test func more_than_two_codes_take_several_frames() throws {
    let codes = ["P0100", "P0101", "C0102", "B3FFF"].map { #"{"code": "\#($0)", "at": 0}"# }
    var host = try Self.host(Self.car(codes.joined(separator: ", ")))
    #expect(host.request("03") == "00A \r0: 43 04 01 00 01 01 \r1: 41 02 BF FF 00 00 00 \r\r>")
  }

  @Test func a_freeze_frame_keeps_the_moment() throws {
    var host = try Self.host(Self.car(Self.codes))
    #expect(host.request("020200") == "42 02 00 00 00 \r\r>")
    #expect(host.request("020D00") == "NO DATA\r\r>")
    // The code was stored at 30 s, when the car had just reached 100 km/h.
    go(&host, to: 60)
    #expect(host.request("020200") == "42 02 00 04 20 \r\r>")
    #expect(host.request("020D00") == "42 0D 00 64 \r\r>")
    #expect(host.request("020D01") == "NO DATA\r\r>")
    go(&host, to: 100)
    #expect(host.request("010D") == "41 0D 00 \r\r>")
    #expect(host.request("020D00") == "42 0D 00 64 \r\r>")
  }

  @Test func clearing_needs_a_standing_car_and_spares_permanent_codes() throws {
    var host = try Self.host(Self.car(Self.codes))
    go(&host, to: 50)
    #expect(host.request("04") == "7F 04 22 \r\r>")
    go(&host, to: 100)
    #expect(host.request("04") == "44 \r\r>")
    #expect(host.request("03") == "43 00 \r\r>")
    #expect(host.request("07") == "47 00 \r\r>")
    #expect(host.request("0A") == "4A 01 04 20 \r\r>")
    // The lamp is off, and the monitors must run again.
    #expect(host.request("0101") == "41 01 00 17 E5 E5 \r\r>")
    #expect(host.request("020200") == "42 02 00 00 00 \r\r>")
    go(&host, to: 100 + 65)
    #expect(host.request("0101") == "41 01 00 07 E5 A5 \r\r>")
  }

  @Test func speed_and_distance_are_those_of_the_drive() throws {
    var host = try Self.host(Self.car(Self.codes))
    for (second, speed) in [(5, "00"), (20, "32"), (25, "4B"), (45, "64"), (75, "32"), (90, "00")] {
      go(&host, to: second)
      // An error of a millisecond is less than half a km/h.
      #expect(host.request("010D") == "41 0D \(speed) \r\r>", "at \(second) s")
    }
    // 20 s · 50 km/h + 40 s · 100 km/h + 10 s · 50 km/h = 1.53 km since the codes were cleared.
    #expect(host.request("0131") == "41 31 00 02 \r\r>")
    // The lamp is on since 30 s, at 0.28 km: that is 1.25 km ago.
    #expect(host.request("0121") == "41 21 00 01 \r\r>")
    #expect(host.request("011F") == "41 1F 00 5A \r\r>")
  }

  @Test func bitmaps_show_exactly_what_is_answered() throws {
    var host = try Self.host(Self.car(""))
    host.prepare("ATS0")
    for base in stride(from: 0, through: 0xA0, by: 0x20) {
      let reply = host.request("01" + hex(base))
      guard let bits = UInt32(reply.dropFirst(4).prefix(8), radix: 16) else {
        #expect(base == 0xC0)
        continue
      }
      for pid in base + 1...base + 31 {
        let isClaimed = bits >> UInt32(32 - (pid - base)) & 1 == 1
        let isAnswered = host.request("01" + hex(pid)).hasPrefix("41" + hex(pid))
        #expect(isClaimed == isAnswered, "PID \(hex(pid))")
      }
    }
  }

  private func hex(_ number: Int) -> String {
    (number < 16 ? "0" : "") + String(number, radix: 16, uppercase: true)
  }

  @Test func service_06_gives_value_and_limits() throws {
    let tests = #""tests": [{"mid": "21", "tid": "84", "uasid": "20", "value": 128, "min": 0, "max": 307}]"#
    var host = try Self.host(Cars.idling("can11/500", ecus: Cars.engine("7E8", more: tests)))
    #expect(host.request("0600") == "46 00 00 00 00 01 \r\r>")
    #expect(host.request("0620") == "46 20 80 00 00 00 \r\r>")
    #expect(host.request("0621") == "00A \r0: 46 21 84 20 00 80 \r1: 00 00 01 33 00 00 00 \r\r>")
    #expect(host.request("0601") == "NO DATA\r\r>")
  }

  @Test func service_09_returns_the_names_and_calibrations_of_an_ecu() throws {
    var host = try Self.host("{}")
    host.prepare("ATH1", "ATSH7E1")
    #expect(host.request("0902") == "7E9 03 7F 09 12 \r\r>")
    #expect(
      host.request("090A")
        == "7E9 10 17 49 0A 01 54 43 4D \r7E9 21 00 2D 54 72 61 6E 73 \r7E9 22 6D 69 73 43 74 72 6C \r"
        + "7E9 23 00 00 00 00 00 00 00 \r\r>")
    #expect(host.request("0906") == "7E9 07 49 06 01 00 C0 FF EE \r\r>")
  }

  @Test func in_use_performance_counts_ignition_cycles() throws {
    var host = try Self.host(Self.car(""))
    host.prepare("ATS0", "ATH1")
    let lines = host.request("0908").split(separator: "\r")
    #expect(lines.first == "7E81023490810019D01")
    #expect(lines.count == 6 + 1)
  }

  @Test func the_same_reading_is_the_same_on_every_bus() throws {
    for (bus, address) in [
      ("can11/500", "7E8"), ("can29/250", "18DAF110"), ("kwpFast", "10"), ("kwpSlow", "10"), ("iso9141", "10"),
      ("j1850vpw", "10"), ("j1850pwm", "10"),
    ] {
      var host = try SimulatedDialogue(Cars.idling(bus, ecus: Cars.engine(address)))
      host.prepare("ATE0", "0100")
      #expect(host.request("010C") == "41 0C 1A F8 \r\r>", "\(bus)")
    }
  }

  @Test func the_standard_cars_codes_come_one_after_the_other() throws {
    var host = try Self.host("{}")
    go(&host, to: 250)
    #expect(host.request("07") == "47 01 04 20 \r47 00 \r\r>")
    go(&host, to: 310)
    #expect(host.request("03") == "43 01 04 20 \r43 00 \r\r>")
    #expect(host.request("020200") == "42 02 00 04 20 \r42 02 00 00 00 \r\r>")
    go(&host, to: 910)
    host.prepare("ATH1")
    #expect(host.request("03") == "7E8 06 43 02 04 20 03 01 \r7E9 04 43 01 C1 00 \r\r>")
    // Ignition off after twenty minutes, on again after two more.
    go(&host, to: 1201)
    #expect(host.request("010C") == "NO DATA\r\r>")
    go(&host, to: 1330)
    #expect(host.request("011F").hasPrefix("7E8 04 41 1F 00 07 "))
  }
}
