import Foundation
import Simulator
import TestKit
import Testing

@testable import SimulatorTestKit

/// An independent client: python-OBD connects and reads the values of the scenario.
@Suite(.serialized) struct PythonOBDTests {
  private static let script = """
    import json, sys
    import obd
    connection = obd.OBD(sys.argv[1])
    def ask(name):
        value = connection.query(getattr(obd.commands, name), force=True).value
        if hasattr(value, "magnitude"):
            value = value.magnitude
        return value.decode() if isinstance(value, (bytes, bytearray)) else value
    status = connection.query(obd.commands.STATUS).value
    print(json.dumps({
        "status": connection.status(), "protocol": connection.protocol_id(), "rpm": ask("RPM"), "speed": ask("SPEED"),
        "coolant": ask("COOLANT_TEMP"), "voltage": ask("ELM_VOLTAGE"), "vin": ask("VIN"),
        "codes": [code for code, _ in ask("GET_DTC")], "pending": [code for code, _ in ask("GET_CURRENT_DTC")],
        "mil": status.MIL, "count": status.DTC_count, "cvn": ask("CVN"),
        "ecus": len(connection.interface.ecus())}))
    connection.close()
    """

  private struct Answers: Decodable, Equatable {
    var status, `protocol`, vin, cvn: String
    var rpm, speed, coolant, voltage: Double
    var codes, pending: [String]
    var mil: Bool
    var count, ecus: Int
  }

  private static let troubleCodes =
    #""troubleCodes": [{"code": "P0420", "at": 0}, {"code": "U0100", "at": 0}, {"code": "P0301", "pending": 0}]"#

  private func answers(_ scenario: String) throws -> Answers {
    let python = try Tool.python(with: "obd")
    let scratch = try ScratchFolder()
    var options = SimulatorOptions()
    options.port = .pty(link: nil)
    options.scenario = try scratch.write("car.json", scenario)
    let simulator = try RunningSimulator(options)
    let name = try simulator.name()
    let result = try Tool.run(python, ["-c", Self.script, name], limit: .seconds(300))
    try simulator.stop()
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Answers.self, from: Data(result.stdout))
  }

  @Test func on_can_with_two_ecus() throws {
    let ecus =
      Cars.engine("7E8", more: Self.troubleCodes)
      + #", {"address": "7E9", "role": "transmission", "pids": ["01"], "values": {"21": "0000"}}"#
    let answers = try answers(Cars.idling("can11/500", ecus: ecus))
    // python-OBD loses the first character of a VIN on CAN.
    #expect(
      answers
        == Answers(
          status: "Car Connected", protocol: "6", vin: "D4GP00R55B123456", cvn: "1791bc82", rpm: 1726, speed: 123,
          coolant: 83, voltage: 14.1, codes: ["P0420", "U0100"], pending: ["P0420", "U0100", "P0301"],
          mil: true, count: 2, ecus: 2))
  }

  @Test(arguments: [("kwpFast", "5"), ("j1850vpw", "2")])
  func python_obd_reads_a_vehicle_with_a_legacy_bus(_ bus: String, _ digit: String) throws {
    let car = Cars.idling(bus, ecus: Cars.engine("10", more: Self.troubleCodes))
    let answers = try answers(car)
    #expect(answers.status == "Car Connected" && answers.protocol == digit && answers.ecus == 1)
    #expect(answers.rpm == 1726 && answers.speed == 123 && answers.coolant == 83)
    #expect(answers.codes == ["P0420", "U0100"] && answers.mil && answers.count == 2)
    #expect(answers.vin.contains("4GP00R55B123456"))
  }
}
