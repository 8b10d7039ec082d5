import Fusion
import NMEAWire
import OBDWire
import Telemetry
import Testing

/// The time for which records contain a value, and records that are made only after a change.
@Suite struct FusionWindowTests {
  private static func windows(_ seconds: [UInt8: Double]) -> SignalWindows {
    var windows = SignalWindows()
    for (parameter, window) in seconds { windows.parameters[Int(parameter)] = Session.nanoseconds(window) }
    return windows
  }

  @Test func a_slow_signal_stands_in_every_record_of_its_window() throws {
    var session = Session { $0.windows = Self.windows([0x05: 2.5]) }
    session.read("coolantTemp", 90, at: 0)
    for step in 0..<6 { session.read("rpm", 800, at: Double(step) + 0.1) }
    let records = try session.finish(at: 6)
    #expect(records.map(\.elapsed) == [1, 2, 3, 4, 5, 6])
    #expect(records.map { $0.number("coolantTemp") } == [90, 90, nil, nil, nil, nil])
  }

  @Test func a_value_stands_in_the_record_of_its_interval_however_short_its_window() throws {
    var session = Session { $0.windows = Self.windows([0x0C: 0.2]) }
    session.read("speed", 0, at: 0)
    session.read("rpm", 800, at: 0.1)
    session.read("speed", 0, at: 1.1)
    let records = try session.finish(at: 1.1)
    #expect(records.map { $0.number("rpm") } == [800, nil])
  }

  @Test func old_values_alone_make_no_record() throws {
    var session = Session { $0.windows = Self.windows([0x05: 60, 0x0C: 0.9]) }
    session.read("coolantTemp", 90, at: 0)
    session.read("rpm", 800, at: 0.1)
    session.advance(to: 30)
    #expect(try session.finish(at: 30).count == 1)
  }

  @Test func a_record_is_made_every_period_while_answers_are_not_yet_due() throws {
    var session = Session(.every(nanoseconds: 250_000_000)) { $0.windows = Self.windows([0x0C: 2]) }
    for quarter in 0...40 {
      // One answer a second; after 3 s there are no more answers.
      if quarter % 4 == 0, quarter <= 12 { session.read("rpm", 800, at: Double(quarter) / 4) }
      session.advance(to: Double(quarter) / 4)
    }
    let records = try session.finish(at: 10)
    #expect(records.map(\.elapsed) == (1...20).map { Double($0) / 4 })
    #expect(records.allSatisfy { $0.number("rpm") == 800 })
  }

  @Test func values_of_a_lost_vehicle_are_discarded() throws {
    var session = Session { $0.windows = Self.windows([0x05: 60]) }
    session.read("coolantTemp", 90, at: 0)
    session.advance(to: 1)
    session.fusion.vehicleLost()
    session.read("rpm", 800, at: 1.5)
    let records = try session.finish(at: 1.5)
    #expect(records.map { $0.number("coolantTemp") } == [90, nil])
  }

  @Test func each_ecu_has_values_of_its_own_age() throws {
    var session = Session { $0.windows = Self.windows([0x05: 1.5]) }
    session.read("coolantTemp", 90, from: .can11(0x7E8), at: 0)
    session.read("coolantTemp", 70, from: .can11(0x7E9), at: 1.2)
    session.read("rpm", 800, at: 2.5)
    let records = try session.finish(at: 2.5)
    #expect(records.map { $0.number("coolantTemp") } == [90, nil, nil])
    #expect(records.map { ($0.child("ecus")?["7E9"] as? [String: Any])?.isEmpty } == [nil, false, false])
  }

  @Test func a_late_answer_does_not_extend_the_validity_of_its_value() throws {
    var session = Session { $0.windows = Self.windows([0x05: 2]) }
    for second in 0...3 { session.read("coolantTemp", 90, at: Double(second)) }
    // The bus was busy for ten seconds. Then one more answer arrived, and no others.
    session.read("coolantTemp", 91, at: 13)
    for step in 0..<8 { session.read("rpm", 800, at: 13.5 + Double(step)) }
    let records = try session.finish(at: 21).filter { ($0.elapsed ?? 0) > 13 }
    #expect(records.map { $0.number("coolantTemp") } == [91, 91] + [Double?](repeating: nil, count: 6))
  }

  @Test func a_slow_bus_makes_values_stand_for_two_of_its_pauses() throws {
    var session = Session { $0.windows = Self.windows([0x05: 2]) }
    for turn in 0...3 { session.read("coolantTemp", 90, at: Double(turn) * 4) }
    for step in 0..<10 { session.read("rpm", 800, at: 12.5 + Double(step)) }
    let records = try session.finish(at: 22).filter { ($0.elapsed ?? 0) > 12 }
    #expect(records.map { $0.number("coolantTemp") } == [Double?](repeating: 90, count: 8) + [nil, nil])
  }

  @Test func validity_windows_can_be_changed() throws {
    var session = Session()
    session.read("coolantTemp", 90, at: 0)
    session.fusion.setWindows(Self.windows([0x05: 10]))
    session.read("rpm", 800, at: 1.5)
    let records = try session.finish(at: 1.5)
    #expect(records.map { $0.number("coolantTemp") } == [90, 90])
  }

  // MARK: On change

  @Test func on_change_a_record_is_made_when_a_value_is_another() throws {
    var session = Session(.onChange(nanoseconds: 1_000_000_000)) { $0.windows = SignalWindows(3_000_000_000) }
    for (step, value) in [800.0, 800, 800, 900, 900, 800].enumerated() {
      session.read("rpm", value, at: Double(step) + 0.5)
    }
    session.advance(to: 6.5)
    #expect(try session.records().map(\.elapsed) == [1.5, 3.5, 5.5])
    #expect(try session.records().map { $0.number("rpm") } == [800, 900, 800])
  }

  @Test func on_change_a_value_that_comes_or_falls_out_is_a_change() throws {
    var session = Session(.onChange(nanoseconds: 1_000_000_000)) { $0.windows = SignalWindows(1_500_000_000) }
    session.read("rpm", 800, at: 0)
    session.read("speed", 50, at: 1.5)
    for step in 1...5 { session.read("rpm", 800, at: Double(step) + 0.9) }
    let records = try session.finish(at: 5.95)
    #expect(records.map(\.elapsed) == [1, 2, 4])
    #expect(records.map { $0.number("speed") } == [nil, 50, nil])
  }

  @Test func with_on_change_receiver_noise_is_no_change_and_movement_is() throws {
    var session = Session(.onChange(nanoseconds: 1_000_000_000))
    // The vehicle is 1 m, 2 m and then 30 m to the north.
    for (step, north) in [0.0, 1, 2, 30, 30].enumerated() {
      session.fix(48 + north / 111_320, 11, at: Double(step) + 0.5)
    }
    session.advance(to: 5)
    #expect(try session.records().map(\.elapsed) == [1.5, 3.5])
    session.fusion.fix(Fix(), at: Session.nanoseconds(5.4), into: &session.sink)
    session.advance(to: 5.5)
    #expect(try session.records().last?.text("fixType") == "none")
  }
}
