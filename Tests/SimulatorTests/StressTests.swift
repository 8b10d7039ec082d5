import Testing

@testable import Simulator
@testable import SimulatorTestKit

/// Random input and faults: nothing crashes, time advances, and a reset returns the banner.
@Suite struct StressTests {
  private static let buses = [
    "can11/500", "can29/500", "can11/250", "can29/250", "kwpFast", "kwpSlow", "iso9141", "j1850vpw", "j1850pwm",
    "j1939",
  ]
  private static let kinds = ["elm327", "clone", "stn"]

  @Test(arguments: 0..<40)
  func random_dialogues_with_random_faults_end_with_a_banner(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let bus = Self.buses[seed % Self.buses.count]
    let kind = Self.kinds[seed % Self.kinds.count]
    // All kinds of faults, but only in the first two minutes.
    let faults = (0..<6).map { _ in fault(&random) + "@0s..120s" }
    let scenario = #"{"seed": \#(seed), "adapter": {"kind": "\#(kind)"}, "cars": [{"bus": "\#(bus)"}]}"#
    var host = try SimulatedDialogue(scenario, faults: faults.joined(separator: ","))
    while host.now < .seconds(115) {
      host.write(command(&random) + (random.happens(0.9) ? "\r" : ""))
      host.wait(.milliseconds(Int(random.next() % 3000)))
    }
    host.wait(.seconds(150) - host.now)
    // This stops every operation.
    host.write(" ")
    host.wait(.seconds(30))
    host.write("\r")
    host.wait(.seconds(30))
    #expect(host.request("ATZ").hasSuffix(kind == "clone" ? "v2.1\r>" : kind == "stn" ? "v1.4b\r\r>" : "v1.5\r\r>"))
    #expect(host.request("ATI").hasPrefix("ATI\rELM327 "))
  }

  private func fault(_ random: inout SeededGenerator) -> String {
    let kinds = Fault.Kind.allCases
    let kind = kinds[Int(random.next() % UInt64(kinds.count))]
    switch kind.rule.argument {
    case .none: return kind.rawValue
    case .probability: return kind.rawValue + "=0.2"
    case .count(let range, _): return kind.rawValue + "=\(min(range.upperBound, max(range.lowerBound, 9)))"
    case .time: return kind.rawValue + "=300ms"
    case .request, .requestAndTime: return kind.rawValue + "=0C"
    case .requestAndByte: return kind.rawValue + "=0C:21"
    case .text: return kind.rawValue + "=ATS"
    }
  }

  private func command(_ random: inout SeededGenerator) -> String {
    let known = [
      "ATZ", "ATD", "ATWS", "ATE0", "ATH1", "ATS0", "ATL1", "ATCAF0", "ATSP0", "ATSP6", "ATSPA3", "ATLP", "ATMA",
      "ATBRD23", "ATBRD01", "STBR1000000", "ATCEA12", "ATFCSD301001", "ATFCSH7E0", "ATFCSM1", "ATST01", "ATR0", "",
      "0100", "010C0D0511", "010C1", "09024", "03", "0A", "0600", "0908", "020C00", "22F40C", "194233FF1E", "04",
    ]
    if random.happens(0.7) { return known[Int(random.next() % UInt64(known.count))] }
    let letters = Array("AT0123456789ABCDEF SHPRLZ@>\u{0}")
    return String((0..<Int(random.next() % 24)).map { _ in letters[Int(random.next() % UInt64(letters.count))] })
  }
}
