import Fusion
import OBDWire
import Telemetry
import Testing

/// Trouble codes and monitors that are reported again although they have not changed.
@Suite struct FusionRepetitionTests {
  private static let vin = "1D4GP00RX5B123456"

  /// Passes the answers of two ECUs to PID 01, service 03 and service 07.
  private func poll(_ session: inout Session, at seconds: Double) {
    for ecu in [ECUAddress.can11(0x7E8), .can11(0x7E9)] {
      session.read("catalystMonitoringReady", 1, from: ecu, at: seconds)
      session.codes(.stored, [0x0420], from: ecu, at: seconds)
      session.codes(.pending, [], from: ecu, at: seconds)
    }
  }

  @Test func codes_and_monitors_read_before_the_VIN_are_repeated_for_the_vehicle() throws {
    var session = Session { $0.repeatsDiagnosis = true }
    poll(&session, at: 0)
    session.codes(.freezeFrame, [0x0420], at: 0)
    session.read("rpm", 1_800, at: 0.1, service: 2)
    // A freeze frame is complete if nothing was added to it in the last interval.
    for second in 1...5 { session.advance(to: Double(second)) }
    session.text(.vin, Self.vin, at: 25)
    let records = try session.finish(at: 30)
    for type in ["dtc", "monitors"] {
      #expect(
        Set(records.of(type).map { [$0.text("vehicleId"), $0.text("ecu")] }) == [
          ["unknown", "7E8"], ["unknown", "7E9"], [Self.vin, "7E8"], [Self.vin, "7E9"],
        ], "\(type)")
    }
    let codes = records.of("dtc")
    #expect(codes.map { $0.text("event") } == ["snapshot", "snapshot", "snapshot", "snapshot"])
    for ecu in ["7E8", "7E9"] {
      let bodies = codes.filter { $0.text("ecu") == ecu }.map(\.body)
      #expect(bodies.count == 2 && bodies.first == bodies.last, "\(bodies)")
    }
    #expect(codes.last { $0.text("ecu") == "7E8" }?.child("freezeFrame") != nil)
  }

  @Test func a_configured_vehicle_needs_no_repetition() throws {
    var session = Session {
      $0.vehicleId = "VAN-1"
      $0.repeatsDiagnosis = true
    }
    poll(&session, at: 0)
    session.text(.vin, Self.vin, at: 25)
    let records = try session.finish(at: 30)
    #expect(records.of("dtc").count == 2)
    #expect(records.of("monitors").count == 2)
  }

  @Test func codes_and_monitors_are_repeated_with_the_first_answers_of_a_trip() throws {
    var session = Session { $0.repeatsDiagnosis = true }
    poll(&session, at: 0)
    // The previous answers may be out of date, so only the next ones are reported.
    for second in 1_000...1_030 {
      session.read("rpm", 2_000, at: Double(second))
      session.read("speed", 36, at: Double(second))
    }
    #expect(try session.records().of("trip").count == 1)
    #expect(try session.records().of("dtc").count == 2)
    poll(&session, at: 1_031)
    poll(&session, at: 1_091)
    let records = try session.finish(at: 1_100)
    #expect(records.of("dtc").map { $0.text("event") } == ["snapshot", "snapshot", "snapshot", "snapshot"])
    #expect(records.of("monitors").count == 4)
  }

  @Test func a_trip_soon_after_the_last_report_repeats_nothing() throws {
    var session = Session { $0.repeatsDiagnosis = true }
    poll(&session, at: 0)
    for second in 1...60 {
      session.read("rpm", 2_000, at: Double(second))
      session.read("speed", 36, at: Double(second))
    }
    poll(&session, at: 61)
    let records = try session.finish(at: 70)
    #expect(records.of("trip").count >= 1)
    #expect(records.of("dtc").count == 2)
    #expect(records.of("monitors").count == 2)
  }

  @Test func codes_and_monitors_are_repeated_once_a_day() throws {
    var session = Session { $0.repeatsDiagnosis = true }
    for minute in 0..<3_000 { poll(&session, at: Double(minute) * 60) }
    let records = try session.finish(at: 180_000)
    #expect(records.of("dtc").map { $0.text("event") } == [String](repeating: "snapshot", count: 6))
    #expect(records.of("monitors").count == 6)
  }

  @Test func a_changed_list_is_reported_as_a_change() throws {
    var session = Session { $0.repeatsDiagnosis = true }
    session.codes(.stored, [0x0420], at: 0)
    session.codes(.stored, [0x0420, 0x0171], at: 86_400)
    let records = try session.finish(at: 86_410).of("dtc")
    #expect(records.map { $0.text("event") } == ["snapshot", "appeared"])
    #expect(records.last?.texts("changed") == ["P0171"])
  }
}
