import Fusion
import OBDWire
import Telemetry
import Testing

@Suite struct FusionDiagnosisTests {
  @Test func three_lists_of_one_interval_make_one_snapshot() throws {
    var session = Session()
    session.read("mil", 1, at: 0)
    session.read("distanceMIL", 12, at: 0)
    session.codes(.stored, [0x0420, 0x0171], at: 0.1)
    session.codes(.pending, [], at: 0.2)
    session.codes(.permanent, [0x0420], at: 0.3)
    let records = try session.finish(at: 1)
    #expect(records.of("telemetry").first?.texts("dtcCodes") == ["P0420", "P0171"])
    #expect(
      records.of("dtc").map(\.body) == [
        #""ecu":"7E8","event":"snapshot","dtcCodes":["P0420","P0171"],"pending":[],"permanent":["P0420"],"#
          + #""changed":[],"mil":true,"distanceMIL":12"#
      ])
  }

  @Test func a_list_that_was_not_asked_for_is_absent() throws {
    var session = Session()
    session.codes(.stored, [], at: 0)
    let record = try #require(try session.finish(at: 1).of("dtc").first)
    #expect(record.body == #""ecu":"7E8","event":"snapshot","dtcCodes":[],"changed":[]"#)
  }

  @Test func a_new_code_is_reported_as_appeared_and_a_gone_one_as_cleared() throws {
    var session = Session()
    session.codes(.stored, [], at: 0)
    session.codes(.stored, [0x0420], at: 10)
    session.codes(.stored, [0x0420], at: 20)
    session.codes(.stored, [], at: 30)
    let records = try session.finish(at: 40).of("dtc")
    #expect(records.map { $0.text("event") } == ["snapshot", "appeared", "cleared"])
    #expect(records.map { $0.texts("changed") } == [[], ["P0420"], ["P0420"]])
    #expect(records.map { $0.texts("dtcCodes") } == [[], ["P0420"], []])
  }

  @Test func simultaneous_appearance_and_clearing_is_a_change() throws {
    var session = Session()
    session.codes(.stored, [0x0420, 0x0171], at: 0)
    session.codes(.stored, [0x0171, 0x4035], at: 10)
    let record = try #require(try session.finish(at: 20).of("dtc").last)
    #expect(record.text("event") == "changed")
    #expect(record.texts("changed") == ["C0035", "P0420"])
  }

  @Test func a_code_that_moves_from_pending_to_stored_is_a_change() throws {
    var session = Session()
    session.codes(.stored, [], at: 0)
    session.codes(.pending, [0x0300], at: 0.1)
    session.codes(.stored, [0x0300], at: 10)
    session.codes(.pending, [], at: 10.1)
    let record = try #require(try session.finish(at: 20).of("dtc").last)
    #expect(record.text("event") == "changed")
    #expect(record.texts("changed") == ["P0300"])
  }

  @Test func codes_in_another_order_are_not_a_change() throws {
    var session = Session()
    session.codes(.stored, [0x0420, 0x0171], at: 0)
    session.codes(.stored, [0x0171, 0x0420], at: 10)
    #expect(try session.finish(at: 20).of("dtc").count == 1)
  }

  @Test func each_ecu_has_its_own_codes() throws {
    var session = Session()
    session.read("rpm", 800, at: 0)
    session.codes(.stored, [0x0420], from: .can11(0x7E8), at: 0)
    session.codes(.stored, [0x0700], from: .can11(0x7E9), at: 0.1)
    session.codes(.stored, [], from: .can11(0x7E9), at: 10)
    let records = try session.finish(at: 20)
    #expect(records.of("dtc").map { $0.text("ecu") } == ["7E8", "7E9", "7E9"])
    #expect(records.of("dtc").last?.text("event") == "cleared")
    let first = try #require(records.of("telemetry").first)
    #expect(first.texts("dtcCodes") == ["P0420"])
    #expect(first.child("ecus")?["7E9"] as? [String: [String]] == ["dtcCodes": ["P0700"]])
  }

  @Test func codes_of_service_19_do_not_override_service_03() throws {
    var session = Session()
    session.codes(.stored, [0x0420], at: 0)
    session.codes(.stored, [0x0420, 0x0171], at: 10, service: 0x19)
    #expect(try session.finish(at: 20).of("dtc").count == 1)
  }

  @Test func a_lamp_that_was_read_long_ago_is_not_repeated() throws {
    var session = Session()
    session.read("mil", 1, at: 0)
    session.codes(.stored, [0x0420], at: 500)
    #expect(try session.finish(at: 501).of("dtc").first?.flag("mil") == nil)
  }

  @Test func a_lamp_that_changes_is_reported_although_the_codes_stay_the_same() throws {
    var session = Session()
    session.read("mil", 0, from: .can11(0x7E9), at: 0)
    session.codes(.stored, [0x0700], from: .can11(0x7E9), at: 0.1)
    session.read("mil", 1, from: .can11(0x7E9), at: 10)
    session.read("mil", 1, from: .can11(0x7E9), at: 70)
    session.read("mil", 0, from: .can11(0x7E9), at: 130)
    let records = try session.finish(at: 140).of("dtc")
    #expect(
      records.map(\.body) == [
        #""ecu":"7E9","event":"snapshot","dtcCodes":["P0700"],"changed":[],"mil":false"#,
        #""ecu":"7E9","event":"changed","dtcCodes":["P0700"],"changed":[],"mil":true"#,
        #""ecu":"7E9","event":"changed","dtcCodes":["P0700"],"changed":[],"mil":false"#,
      ])
  }

  @Test func a_freeze_frame_waits_until_it_is_whole() throws {
    var session = Session()
    session.codes(.stored, [0x0420], at: 0)
    session.codes(.freezeFrame, [0x0420], at: 0.5)
    session.read("rpm", 1_726, at: 0.6, service: 2)
    session.read("speed", 57, at: 1.2, service: 2)
    session.read("fuelSystem1Status", 2, at: 1.3, service: 2)
    session.read("rpm", 800, at: 2.5)
    session.read("rpm", 800, at: 3.5)
    let records = try session.finish(at: 4)
    let record = try #require(records.of("dtc").first)
    #expect(records.of("dtc").count == 1)
    #expect(record.text("event") == "snapshot")
    let frame = try #require(record.child("freezeFrame"))
    #expect(frame["frame"] as? Int == 0)
    #expect(frame["dtc"] as? String == "P0420")
    let readings = try #require(frame["readings"] as? [String: Any])
    #expect(readings["rpm"] as? Double == 1_726)
    #expect(readings["speed"] as? Double == 57)
    #expect(records.of("telemetry").allSatisfy { $0.number("rpm") != 1_726 })
  }

  @Test func the_end_of_a_session_writes_pending_diagnoses() throws {
    var session = Session()
    session.codes(.stored, [0x0420], at: 0)
    session.codes(.freezeFrame, [0x0420], at: 0.1)
    session.read("rpm", 1_726, at: 0.2, service: 2)
    let record = try #require(try session.finish(at: 0.3).of("dtc").first)
    #expect(record.child("freezeFrame")?["dtc"] as? String == "P0420")
  }

  @Test func a_frame_that_comes_later_is_a_change_of_its_code() throws {
    var session = Session()
    session.codes(.stored, [0x0420], at: 0)
    session.codes(.freezeFrame, [0x0420], at: 10)
    session.read("rpm", 1_726, at: 10, service: 2)
    session.read("rpm", 800, at: 20)
    session.codes(.freezeFrame, [0x0420], at: 30)
    session.read("rpm", 1_726, at: 30, service: 2)
    let records = try session.finish(at: 40).of("dtc")
    #expect(records.map { $0.text("event") } == ["snapshot", "changed"])
    #expect(records.last?.texts("changed") == ["P0420"])
    #expect(records.map { $0.child("freezeFrame") != nil } == [false, true])
  }

  @Test func an_empty_freeze_frame_is_ignored() throws {
    var session = Session()
    session.codes(.stored, [], at: 0)
    session.codes(.freezeFrame, [], at: 0.1)
    session.read("rpm", 0, at: 0.2, service: 2)
    let records = try session.finish(at: 1).of("dtc")
    #expect(records.map { $0.child("freezeFrame") != nil } == [false])
  }

  @Test func codes_are_reported_though_nothing_else_is_read() throws {
    var session = Session()
    session.codes(.pending, [0x0300], at: 0)
    session.advance(to: 5)
    let records = try session.records()
    #expect(records.map(\.type) == ["dtc"])
    #expect(records.map(\.elapsed) == [1])
  }

  @Test func codes_read_before_the_clearing_are_not_reported_after_it() throws {
    var session = Session()
    session.read("mil", 1, at: 0)
    session.read("distanceMIL", 12, at: 0)
    session.codes(.stored, [0x0420], at: 0.1)
    session.codes(.pending, [0x0171], at: 0.2)
    session.codes(.permanent, [0x0300], at: 0.3)
    session.cleared(at: 0.4)
    session.codes(.stored, [], at: 0.5)
    let records = try session.finish(at: 1)
    #expect(
      records.of("dtc").map(\.body) == [
        #""ecu":"7E8","event":"snapshot","dtcCodes":["P0420"],"pending":["P0171"],"permanent":["P0300"],"#
          + #""changed":[],"mil":true,"distanceMIL":12"#,
        // Permanent codes are not cleared by a tool.
        #""ecu":"7E8","event":"cleared","dtcCodes":[],"permanent":["P0300"],"changed":["P0420"]"#,
      ])
    let telemetry = try #require(records.of("telemetry").first)
    #expect(
      telemetry.text("mil") == nil && !telemetry.body.contains("\"mil\"") && !telemetry.body.contains("distanceMIL"))
  }

  @Test func codes_read_again_after_clearing_are_reported() throws {
    var session = Session()
    session.read("mil", 1, at: 0)
    session.codes(.stored, [0x0420], at: 0.1)
    session.codes(.pending, [0x0171], at: 0.2)
    session.cleared(at: 2)
    session.read("mil", 0, at: 2.1)
    session.codes(.stored, [], at: 2.2)
    session.codes(.pending, [], at: 4)
    let records = try session.finish(at: 6).of("dtc")
    #expect(
      records.dropFirst().map(\.body) == [
        #""ecu":"7E8","event":"cleared","dtcCodes":[],"changed":["P0420"],"mil":false"#,
        #""ecu":"7E8","event":"cleared","dtcCodes":[],"pending":[],"changed":["P0171"],"mil":false"#,
      ])
  }

  @Test func clearing_the_codes_of_one_ECU_does_not_affect_another() throws {
    var session = Session()
    session.read("mil", 1, from: .can11(0x7E9), at: 0)
    session.codes(.stored, [0x0700], from: .can11(0x7E9), at: 0.1)
    session.cleared(at: 0.2)
    let records = try session.finish(at: 1).of("dtc")
    #expect(records.map(\.body) == [#""ecu":"7E9","event":"snapshot","dtcCodes":["P0700"],"changed":[],"mil":true"#])
  }
}
