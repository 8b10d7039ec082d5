import JSONText
import Simulator
import Testing

@testable import SimulatorTestKit

/// Scenario files are parsed strictly: an error has its position.
@Suite struct ScenarioTests {
  private func error(_ text: String) -> String {
    do {
      _ = try Scenario(parsing: Array(text.utf8))
      return "none"
    } catch {
      return error.all.messages(in: "a.json").joined(separator: "\n")
    }
  }

  @Test func all_faults_of_a_scenario_are_reported() {
    let text = """
      {"adapter": {"kind": "ELM"}, "seed": -1, "cars": [
        {"bus": "can12", "ecus": [{"address": "10"}], "ambient": 99},
        {"from": 5, "drive": {"phases": [{"phase": "accelerate", "seconds": 3}, {"phase": "brake", "seconds": 3, "speed": 0}]},
         "ecus": [{"address": "7E8", "pids": ["99"], "nmae": "x", "tests": [{"mid": "21"}]}]}], "faults": "nul=2"}
      """
    let places = error(text).split(separator: "\n").map { line in
      line.split(separator: ": ").prefix(2).joined(separator: ": ")
    }
    #expect(
      places == [
        "a.json:1:22: adapter.kind", "a.json:1:38: seed", "a.json:2:11: cars[0].bus", "a.json:2:60: cars[0].ambient",
        "a.json:3:36: cars[1].drive.phases[0]", "a.json:4:41: cars[1].ecus[0].pids[0]",
        "a.json:4:48: cars[1].ecus[0].nmae",
        "a.json:4:71: cars[1].ecus[0].tests[0]", "a.json:4:101: faults",
      ])
  }

  @Test func an_empty_object_is_the_standard_scenario() throws {
    let scenario = try Scenario(parsing: Array("{}".utf8))
    #expect(scenario.cars.count == 1)
    #expect(scenario.cars[0].car.ecus.map(\.address) == [0x7E8, 0x7E9])
    #expect(scenario.adapter.identity == "ELM327 v1.5")
  }

  @Test(arguments: [
    (#"{"adaptor": {}}"#, #"a.json:1:2: adaptor: unknown key "adaptor"; did you mean "adapter"?"#),
    (#"{"cars": []}"#, "a.json:1:10: cars: expected at least one car, found an array"),
    (
      #"{"cars": [{"bus": "can"}]}"#,
      #"a.json:1:19: cars[0].bus: expected one of "j1850pwm", "j1850vpw", "iso9141", "kwpSlow", "kwpFast", "#
        + #""can11/500", "can29/500", "can11/250", "can29/250", "j1939", found "can""#
    ),
    (
      #"{"cars": [{"ecus": [{"address": "18DAF110"}]}]}"#,
      #"a.json:1:33: cars[0].ecus[0].address: expected an address of 3 hexadecimal digits for the bus can11/500, "#
        + #"found "18DAF110""#
    ),
    (
      #"{"cars": [{"ecus": [{"address": "7E8", "pids": ["0C", "99"]}]}]}"#,
      #"a.json:1:55: cars[0].ecus[0].pids[1]: expected a PID that the simulator computes; for another one write "#
        + #"its bytes in "values", found "99""#
    ),
    (
      "{\"cars\": [{\n  \"drive\": {\"phases\": [{\"phase\": \"brake\", \"seconds\": 3, \"speed\": 5}]}}]}",
      "a.json:2:24: cars[0].drive.phases[0]: expected a speed below 0.0 km/h to brake to, found 5.0"
    ),
    (
      #"{"cars": [{"ecus": [{"address": "7E8", "troubleCodes": [{"code": "X0420", "at": 1}]}]}]}"#,
      #"a.json:1:66: cars[0].ecus[0].troubleCodes[0].code: expected a trouble code such as P0420 or P0420-11, "#
        + #"found "X0420""#
    ),
    (
      #"{"faults": ["silent@30s..60s"]}"#,
      #"a.json:1:12: faults: expected faults in one string, such as "nul=0.01,silent@30s..60s", found an array"#
    ),
    (
      #"{"faults": "promtLost@5s"}"#,
      #"a.json:1:12: faults: expected faults in one string, such as "nul=0.01,silent@30s..60s", found "#
        + #"character 1: "promtLost@5s": no such fault; did you "#
        + #"mean "promptLost"?"#
    ),
    (
      #"{"adapter": {"baud": 12}}"#, "a.json:1:22: adapter.baud: expected a whole number from 300 to 4000000, found 12"
    ),
  ])
  func an_error_says_where_and_what_would_be_right(_ text: String, _ expected: String) {
    #expect(error(text) == expected)
  }

  @Test func cars_follow_each_other() throws {
    var host = try SimulatedDialogue(
      #"""
      {"cars": [{"vin": "1D4GP00R55B123456"}, {"from": 60, "bus": "kwpFast", "vin": "WP0ZZZ99ZTS392124"}]}
      """#)
    host.prepare("ATE0", "ATS0", "ATSP0")
    #expect(host.request("0902").hasPrefix("SEARCHING...\r014\r0:490201314434\r"))
    host.wait(.seconds(60))
    #expect(host.request("0902") == "NO DATA\r\r>")
    host.prepare("ATSP0")
    #expect(host.request("0902").hasPrefix("SEARCHING...\r49020100000057\r"))
  }

  @Test func a_missing_scenario_is_reported() throws {
    do {
      _ = try Scenario(file: "no/such.json")
      Issue.record("it was read")
    } catch {
      #expect(error.kind == .noInput)
      #expect(error.description == "no/such.json: No such file or directory")
    }
  }
}
