import Foundation
import TestKit
import Testing

@testable import Simulator
@testable import SimulatorTestKit

/// The README of the simulator is correct.
@Suite struct ReadmeTests {
  private func text() throws -> String {
    try String(contentsOfFile: TestData.projectRoot + "/Sources/Vehicle/Simulator/README.md", encoding: .utf8)
  }

  @Test func the_readme_lists_every_fault_of_the_simulator() throws {
    let rows = try text().split(separator: "\n").filter { $0.hasPrefix("| `") }
    let faults = rows.drop { !$0.hasPrefix("| `nul") }
    #expect(faults.map(String.init) == Fault.Kind.allCases.map { "| `\($0.usage)` | \($0.rule.meaning) |" })
  }

  @Test func the_scenarios_in_the_readme_can_be_played() throws {
    let blocks = try text().components(separatedBy: "```json\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    #expect(blocks.count == 3)
    for block in blocks {
      var host = try SimulatedDialogue(block)
      host.prepare("ATE0", "ATS0", "ATSP0")
      let isUDS = block.contains("obdOnUDS")
      if isUDS { host.prepare("ATSP6") }
      #expect(host.request(isUDS ? "22F40D" : "010D").contains(isUDS ? "62F40D00" : "410D"))
    }
  }

  @Test func the_list_of_faults_in_the_readme_is_a_valid_faults_option() throws {
    let line = try #require(try text().split(separator: "\n").first { $0.contains("--faults '") })
    let list = line.split(separator: "'")[1]
    #expect(try Fault.list(String(list)).count == 3)
  }
}
