import Fusion
import OBDWire
import Telemetry
import Testing

@Suite struct FusionVehicleTests {
  private let ford = "1FTFW1ET9DFC10312"
  private let honda = "1HGCM82633A004352"

  @Test func a_vin_makes_a_vehicle_and_names_it_from_then_on() throws {
    var session = Session()
    session.read("rpm", 800, at: 0)
    session.text(.vin, ford, at: 1.5)
    session.read("rpm", 801, at: 2.5)
    let records = try session.finish(at: 3)
    #expect(records.map(\.type) == ["telemetry", "vehicle", "telemetry", "telemetry"])
    #expect(records.map { $0.text("vehicleId") } == ["unknown", ford, ford, ford])
    #expect(
      records[1].body
        == #""vin":"1FTFW1ET9DFC10312","vinValid":true,"make":"Ford","modelYear":2013,"#
        + #""protocol":"ISO 15765-4 (CAN 11)","ecus":[{"address":"7E8","calibrations":[],"supportedPids":[]}]"#)
    #expect(records[2].body == "\"vin\":\"\(ford)\"")
    #expect(records[3].body == "\"rpm\":801")
  }

  @Test(arguments: [
    ("ATSP6", "ISO 15765-4 (CAN 11/500)"), ("at sp a 8", "ISO 15765-4 (CAN 11/250)"),
    ("ATTP6", "ISO 15765-4 (CAN 11/500)"),
    ("ATSP0", "ISO 15765-4 (CAN 11)"), ("ATSH7E0", "ISO 15765-4 (CAN 11)"),
  ])
  func the_configured_bus_is_recorded_until_the_adapter_names_it(command: String, expected: String) throws {
    var session = Session()
    session.fusion.command(Array(command.utf8).span)
    session.text(.vin, ford, at: 0)
    #expect(try session.finish(at: 0.5).of("vehicle").map { $0.text("protocol") } == [expected])
  }

  @Test func a_configured_vehicle_keeps_its_name() throws {
    var session = Session { $0.vehicleId = "VAN-001" }
    session.text(.vin, ford, at: 0)
    #expect(try session.finish(at: 1).allSatisfy { $0.text("vehicleId") == "VAN-001" })
  }

  @Test func an_invalid_vin_is_shown_unaltered() throws {
    var session = Session()
    session.bytes(.vin, [0x31, 0xB0, 0x22] + Array("FTFW1ET5DFC103".utf8), at: 0)
    let record = try #require(try session.finish(at: 1).of("vehicle").first)
    #expect(record.text("vin") == "1\u{B0}\"FTFW1ET5DFC103")
    #expect(record.flag("vinValid") == false)
    #expect(record.text("make") == nil)
    #expect(record.text("vehicleId") == "unknown")
  }

  @Test func the_same_vin_again_makes_no_second_vehicle() throws {
    var session = Session()
    for turn in 0..<5 { session.text(.vin, ford, at: Double(turn) * 1.1) }
    let records = try session.finish(at: 5)
    #expect(records.of("vehicle").count == 1)
    #expect(records.of("telemetry").count == 5)
  }

  @Test func details_that_arrive_one_after_another_share_one_record() throws {
    var session = Session()
    session.text(.vin, ford, at: 0.5)
    session.text(.ecuName, "ECM-EngineControl", at: 2.5)
    session.read("obdRequirements", 6, at: 4.5)
    session.read("fuelType", 1, at: 6.5)
    for second in 7...30 { session.advance(to: Double(second)) }
    let vehicles = try session.records().of("vehicle")
    #expect(vehicles.count == 2, "one for the VIN, one for all details")
    let last = try #require(vehicles.last)
    #expect((last.object["ecus"] as? [[String: Any]])?.first?["name"] as? String == "ECM-EngineControl")
    #expect(last.text("obdStandard") == "EOBD")
    #expect(last.text("fuelType") == "gasoline")
  }

  @Test func ecu_information_that_arrives_later_makes_another_vehicle_record() throws {
    var session = Session()
    session.text(.vin, ford, at: 0)
    session.text(.calibrationID, "DL3A-14C204", at: 1.1)
    session.bytes(.calibrationVerificationNumber, [0x1A, 0x2B, 0x3C, 0x0D], at: 1.2)
    session.text(.calibrationID, "SECOND", index: 1, at: 1.3)
    session.text(.ecuName, "ECM-EngineControl", at: 1.4)
    session.supports(0x9810_0001, from: .can11(0x7E8), at: 1.5)
    session.supports(0x8000_0000, base: 0x20, from: .can11(0x7E8), at: 1.6)
    let vehicles = try session.finish(at: 2).of("vehicle")
    #expect(vehicles.count == 2)
    let ecu = try #require((vehicles.last?.object["ecus"] as? [[String: Any]])?.first)
    #expect(ecu["name"] as? String == "ECM-EngineControl")
    #expect(ecu["supportedPids"] as? [String] == ["0101", "0104", "0105", "010C", "0120", "0121"])
    let calibrations = try #require(ecu["calibrations"] as? [[String: String]])
    #expect(calibrations == [["id": "DL3A-14C204", "cvn": "1A2B3C0D"], ["id": "SECOND"]])
  }

  @Test func fuel_standard_and_bus_are_named() throws {
    var session = Session()
    session.text(.vin, ford, at: 0)
    session.read("fuelType", 1, at: 0)
    let number = Array("A6".utf8)
    session.fusion.adapter(.protocolNumber, number.span, at: 0, into: &session.sink)
    let banner = Array("ELM327 v1.5".utf8)
    session.fusion.adapter(.identity, banner.span, at: 0, into: &session.sink)
    let standard = saeSignals.span[SAESignals.rows(service: 1, identifier: 0x1C).lowerBound].name.description
    session.read(standard, 6, at: 0)
    let record = try #require(try session.finish(at: 1).of("vehicle").first)
    #expect(record.text("protocol") == "ISO 15765-4 (CAN 11/500)")
    #expect(record.text("fuelType") == SAEEnumerations.text(enumeration: 4, code: 1)?.description)
    #expect(record.text("obdStandard") == "EOBD")
    #expect(session.fusion.adapterIdentity == "ELM327 v1.5")
  }

  @Test(
    arguments: [
      ("AUTO, ISO 15765-4 (CAN 11/500)", "ISO 15765-4 (CAN 11/500)"), ("ISO 9141-2", "ISO 9141-2"),
      // No bus is known yet; only the address of the answer determines it.
      ("AUTO", "ISO 15765-4 (CAN 11)"),
    ])
  func the_adapters_description_of_the_bus_loses_its_auto(answer: String, expected: String) throws {
    var session = Session()
    session.text(.vin, ford, at: 0)
    let bytes = Array(answer.utf8)
    session.fusion.adapter(.protocolName, bytes.span, at: 0, into: &session.sink)
    #expect(try session.finish(at: 1).of("vehicle").first?.text("protocol") == expected)
  }

  @Test func without_a_vin_there_is_no_vehicle_record() throws {
    var session = Session()
    session.supports(0xFFFF_FFFF, from: .can11(0x7E8), at: 0)
    session.text(.ecuName, "ECM", at: 0)
    #expect(try session.finish(at: 1).isEmpty)
  }

  @Test func the_engine_ecus_vin_is_the_vehicles() throws {
    var session = Session()
    session.text(.vin, honda, from: .can11(0x7E9), at: 0)
    session.text(.vin, ford, from: .can11(0x7EA), at: 0.1)
    session.read("rpm", 800, from: .can11(0x7EA), at: 0.2)
    session.text(.vin, honda, from: .can11(0x7E9), at: 1.5)
    let records = try session.finish(at: 2)
    #expect(records.of("vehicle").map { $0.text("vin") } == [ford])
    #expect(records.of("telemetry").first?.text("vin") == ford)
    #expect(records.of("telemetry").first?.child("ecus")?["7E9"] as? [String: String] == ["vin": honda])
  }

  @Test func another_vin_from_the_same_ecu_is_another_vehicle() throws {
    var session = Session()
    session.text(.vin, ford, at: 0)
    session.text(.calibrationID, "FORD-CAL", at: 0)
    session.codes(.stored, [0x0420], at: 0)
    session.text(.vin, honda, at: 1.5)
    session.codes(.stored, [0x0420], at: 1.6)
    let records = try session.finish(at: 2)
    #expect(records.of("vehicle").map { $0.text("vehicleId") } == [ford, honda])
    #expect(records.of("vehicle").last?.line.contains("FORD-CAL") == false)
    #expect(records.of("dtc").map { $0.text("event") } == ["snapshot", "snapshot"])
  }

  @Test func an_unreadable_vin_is_not_taken_as_the_previous_vehicle() throws {
    var session = Session()
    session.text(.vin, ford, at: 0)
    session.bytes(.vin, [UInt8](repeating: 0xFF, count: 17), at: 5)
    #expect(try session.finish(at: 6).of("vehicle").map { $0.text("vehicleId") } == [ford, "unknown"])
  }
}
