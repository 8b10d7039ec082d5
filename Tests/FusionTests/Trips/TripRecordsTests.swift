import Fusion
import Telemetry
import Testing

/// Trips as records: their vehicle, their times, and restarts.
@Suite struct TripRecordsTests {
  /// 2026-05-04T22:00:00Z
  private static let evening: Int64 = 1_777_932_000_000_000_000
  private static let vin = "1D4GP00RX5B123456"
  private static let otherVIN = "VF3M45GFRLS031759"

  private func session(endsWithSession: Bool = true, vehicleId: String? = nil) -> Session {
    Session { options in
      options.trips?.endsWithSession = endsWithSession
      options.vehicleId = vehicleId
    }
  }

  /// Drives for a number of seconds at 36 km/h with a running engine.
  private func drive(_ session: inout Session, _ seconds: ClosedRange<Int>) {
    for second in seconds {
      session.read("rpm", 2_000, at: Double(second))
      session.read("speed", 36, at: Double(second))
    }
  }

  // MARK: Dates

  @Test func a_trip_over_midnight_stays_one_trip() throws {
    var session = session()
    session.fusion.setWallTime(offset: Self.evening, quality: .ntp)
    drive(&session, 7_100...7_300)
    let records = try session.finish(at: 7_600).of("trip")
    #expect(records.map { $0.text("event") } == ["start", "end"])
    #expect(records.map { $0.text("startTime") } == ["2026-05-04T23:58:20.000Z", "2026-05-04T23:58:20.000Z"])
    #expect(records.map { $0.text("endTime") } == [nil, "2026-05-05T00:01:40.000Z"])
    #expect(records[0].text("tripId") == records[1].text("tripId"))
    #expect(records[1].number("distance") == 2)
    #expect(records[1].text("distanceSource") == "speed")
    #expect(records[1].number("idleSeconds") == 0)
    #expect(records[1].number("maxSpeed") == 36)
  }

  @Test func a_clock_step_does_not_distort_a_trip() throws {
    var session = session()
    session.fusion.setWallTime(offset: Self.evening - 3_600_000_000_000, quality: .system)
    drive(&session, 0...60)
    session.fusion.setWallTime(offset: Self.evening, quality: .gps)
    drive(&session, 61...100)
    let end = try #require(try session.finish(at: 300).of("trip").last)
    #expect(end.text("startTime") == "2026-05-04T22:00:00.000Z")
    #expect(end.text("endTime") == "2026-05-04T22:01:40.000Z")
    #expect(end.number("distance") == 1)
  }

  @Test func without_a_date_a_trip_has_none() throws {
    var session = session()
    drive(&session, 0...60)
    session.advance(to: 239.9)
    #expect(try session.records().of("trip").count == 1)
    session.advance(to: 240)
    let records = try session.records().of("trip")
    #expect(records.count == 2)
    for record in records {
      #expect(record.text("startTime") == nil)
      #expect(record.text("endTime") == nil)
    }
    // The trip ends after three minutes of standstill, without a further reading.
    #expect(records[1].elapsed == 240)
  }

  @Test func a_trip_that_is_not_over_is_closed_with_the_session() throws {
    var session = session()
    drive(&session, 0...60)
    let records = try session.finish(at: 61).of("trip")
    #expect(records.map { $0.text("event") } == ["start", "end"])
    #expect(records.last?.elapsed == 61)
  }

  @Test func disabled_trips_are_not_recorded() throws {
    var session = Session { $0.trips = nil }
    drive(&session, 0...600)
    session.advance(to: 2_000)
    #expect(try session.finish(at: 2_001).of("trip").isEmpty)
  }

  @Test func only_the_engines_own_speed_is_integrated() throws {
    var session = session()
    session.read("rpm", 800, at: 0)
    for second in 0...60 {
      session.read("rpm", 2_000, at: Double(second))
      session.read("speed", 36, at: Double(second))
      session.read("speed", 100, from: .can11(0x7E9), at: Double(second) + 0.5)
    }
    let end = try #require(try session.finish(at: 300).of("trip").last)
    #expect(end.number("distance") == 0.6)
    #expect(end.number("maxSpeed") == 36)
  }

  // MARK: Vehicles

  @Test func another_vin_ends_the_previous_vehicles_trip_under_its_id() throws {
    var session = session()
    session.text(.vin, Self.vin, at: 0)
    drive(&session, 0...60)
    session.fusion.vehicleLost()
    session.read("rpm", 800, at: 90)
    session.text(.vin, Self.otherVIN, at: 91)
    drive(&session, 100...160)
    let records = try session.finish(at: 400).of("trip")
    #expect(records.map { $0.text("event") } == ["start", "end", "start", "end"])
    #expect(records.map { $0.text("vehicleId") } == [Self.vin, Self.vin, Self.otherVIN, Self.otherVIN])
    #expect(Set(records.compactMap { $0.text("tripId") }).count == 2)
    #expect(records[1].number("distance") == 0.6)
  }

  /// Passes the report of a missing VIN, as the session does.
  private func reportUnnamed(_ session: inout Session, at seconds: Double) {
    session.fusion.vehicleUnnamed(at: Session.nanoseconds(seconds), into: &session.sink)
  }

  @Test func a_vehicle_without_a_vin_ends_the_previous_vehicles_trip_under_its_id() throws {
    var session = session()
    session.text(.vin, Self.vin, at: 0)
    drive(&session, 0...60)
    session.fusion.vehicleLost()
    session.read("rpm", 800, at: 90)
    reportUnnamed(&session, at: 91)
    drive(&session, 100...160)
    session.fusion.vehicleLost()
    // The next VIN belongs to another vehicle again.
    session.text(.vin, Self.vin, at: 200)
    drive(&session, 201...260)
    let records = try session.finish(at: 600)
    let trips = records.of("trip")
    #expect(trips.map { $0.text("event") } == ["start", "end", "start", "end", "start", "end"])
    let owners = trips.map { $0.text("vehicleId") }
    #expect(owners == [Self.vin, Self.vin, "unknown", "unknown", Self.vin, Self.vin])
    #expect(Set(trips.compactMap { $0.text("tripId") }).count == 3)
    #expect(trips[1].number("distance") == 0.6)
    let between = records.of("telemetry").filter { (92...199).contains($0.elapsed ?? 0) }
    #expect(!between.isEmpty && between.allSatisfy { $0.text("vehicleId") == "unknown" && $0.text("vin") == nil })
  }

  @Test func a_configured_vehicle_keeps_its_name_without_a_vin() throws {
    var session = session(vehicleId: "van-7")
    session.text(.vin, Self.vin, at: 0)
    drive(&session, 0...60)
    session.fusion.vehicleLost()
    reportUnnamed(&session, at: 91)
    drive(&session, 100...160)
    let records = try session.finish(at: 400)
    #expect(Set(records.compactMap { $0.text("vehicleId") }) == ["van-7"])
    #expect(records.of("trip").map { $0.text("event") } == ["start", "end", "start", "end"])
  }

  @Test func after_a_power_cut_a_vehicle_without_a_vin_starts_a_new_trip() throws {
    let (memory, before) = try cut()
    var session = resume(memory, off: 60)
    drive(&session, 3...5)
    reportUnnamed(&session, at: 5.5)
    drive(&session, 6...64)
    let records = try session.finish(at: 400).of("trip")
    #expect(records.map { $0.text("event") } == ["end", "start", "end"])
    #expect(records.map { $0.text("vehicleId") } == [Self.vin, "unknown", "unknown"])
    #expect(records[0].text("tripId") == before[0].text("tripId"))
  }

  @Test func a_vin_that_is_read_late_does_not_change_the_vehicle() throws {
    var session = session()
    drive(&session, 0...30)
    session.text(.vin, Self.vin, at: 30.5)
    drive(&session, 31...60)
    let records = try session.finish(at: 400).of("trip")
    #expect(records.map { $0.text("event") } == ["start", "end"])
    #expect(records.last?.text("vehicleId") == Self.vin)
  }

  // MARK: Power cut

  /// Drives for a minute, stores the state, and loses power.
  private func cut(
    vin: String? = TripRecordsTests.vin, quality: TimeQuality = .ntp, boot: String = "a"
  ) throws -> (memory: TripMemory, records: [Record]) {
    var session = session(endsWithSession: false)
    if quality != .unset { session.fusion.setWallTime(offset: Self.evening, quality: quality) }
    if let vin { session.text(.vin, vin, at: 0) }
    drive(&session, 0...60)
    let found = session.fusion.tripMemory(bootId: boot, at: Session.nanoseconds(61))
    let memory = try #require(found)
    return (try TripMemory(parsing: memory.text), try session.finish(at: 61).of("trip"))
  }

  /// Returns a session after `off` seconds without power. Its clock begins at 0.
  private func resume(_ memory: TripMemory, off: Double, quality: TimeQuality = .ntp) -> Session {
    var session = session()
    if quality != .unset {
      session.fusion.setWallTime(offset: Self.evening + Session.nanoseconds(61 + off), quality: quality)
    }
    session.fusion.resumeTrip(memory, bootId: "b", at: 0)
    return session
  }

  @Test func a_trip_continues_after_a_short_power_cut() throws {
    let (memory, before) = try cut()
    #expect(before.map { $0.text("event") } == ["start"])
    var session = resume(memory, off: 60)
    session.text(.vin, Self.vin, at: 4)
    drive(&session, 5...64)
    let records = try session.finish(at: 400).of("trip")
    #expect(records.map { $0.text("event") } == ["end"])
    let end = try #require(records.first)
    #expect(end.text("tripId") == before[0].text("tripId"))
    #expect(end.text("startTime") == "2026-05-04T22:00:00.000Z")
    #expect(end.text("endTime") == "2026-05-04T22:03:05.000Z")
    // The trip has 60 s before the power cut and 59 s after it. The distance in between is unknown.
    #expect(end.number("distance") == 1.19)
    #expect(end.number("maxSpeed") == 36)
  }

  @Test func after_a_long_power_cut_the_trip_ends_at_its_last_known_state() throws {
    let (memory, before) = try cut()
    var session = resume(memory, off: 3_600)
    session.advance(to: 1)
    session.text(.vin, Self.vin, at: 4)
    drive(&session, 5...64)
    let records = try session.finish(at: 400).of("trip")
    #expect(records.map { $0.text("event") } == ["end", "start", "end"])
    #expect(records[0].text("tripId") == before[0].text("tripId"))
    #expect(records[0].text("vehicleId") == Self.vin)
    #expect(records[0].text("startTime") == "2026-05-04T22:00:00.000Z")
    #expect(records[0].text("endTime") == "2026-05-04T22:01:00.000Z")
    #expect(records[0].number("distance") == 0.6)
    #expect(records[1].text("tripId") == records[2].text("tripId"))
    #expect(records[1].text("tripId") != records[0].text("tripId"))
    #expect(records[2].number("distance") == 0.59)
  }

  @Test func the_length_of_a_power_cut_can_be_learned_later() throws {
    let (memory, _) = try cut()
    var session = resume(memory, off: 60, quality: .unset)
    session.text(.vin, Self.vin, at: 4)
    drive(&session, 5...64)
    #expect(try session.records().of("trip").isEmpty)
    session.fusion.setWallTime(offset: Self.evening + Session.nanoseconds(121), quality: .gps)
    drive(&session, 65...74)
    let end = try #require(try session.finish(at: 400).of("trip").first)
    #expect(end.text("event") == "end")
    #expect(end.text("startTime") == "2026-05-04T22:00:00.000Z")
    #expect(end.number("distance") == 1.29)
  }

  @Test func a_clock_without_a_battery_does_not_join_two_trips() throws {
    // The clock shows that no time has passed, because it was not set yet.
    let (memory, before) = try cut()
    var session = resume(memory, off: 1, quality: .system)
    session.text(.vin, Self.vin, at: 4)
    drive(&session, 5...300)
    let records = try session.finish(at: 600).of("trip")
    #expect(records.map { $0.text("event") } == ["end", "start", "end"])
    #expect(records[0].text("tripId") == before[0].text("tripId"))
    #expect(records[0].text("endTime") == "2026-05-04T22:01:00.000Z")
  }

  @Test func a_restart_of_the_program_alone_needs_no_date() throws {
    let (memory, _) = try cut(vin: nil, quality: .unset, boot: "b")
    var session = session()
    session.fusion.resumeTrip(memory, bootId: "b", at: Session.nanoseconds(70))
    drive(&session, 71...130)
    session.advance(to: 310)
    let records = try session.records().of("trip")
    #expect(records.map { $0.text("event") } == ["end"])
    #expect(records.first?.number("distance") == 1.19)
  }

  @Test func another_vehicle_after_the_cut_has_its_own_trip() throws {
    let (memory, before) = try cut()
    var session = resume(memory, off: 60)
    drive(&session, 3...9)
    session.text(.vin, Self.otherVIN, at: 9.5)
    drive(&session, 10...64)
    let records = try session.finish(at: 400).of("trip")
    #expect(records.map { $0.text("event") } == ["end", "start", "end"])
    #expect(records.map { $0.text("vehicleId") } == [Self.vin, Self.otherVIN, Self.otherVIN])
    #expect(records[0].text("tripId") == before[0].text("tripId"))
    #expect(records[0].number("distance") == 0.6)
    #expect(records[2].number("distance") == 0.61)
  }

  @Test func a_vehicle_that_never_moves_again_ends_its_trip() throws {
    let (memory, before) = try cut()
    var session = resume(memory, off: 20)
    session.advance(to: 300)
    let records = try session.records().of("trip")
    #expect(records.map { $0.text("event") } == ["end"])
    #expect(records[0].text("tripId") == before[0].text("tripId"))
    #expect(records[0].text("endTime") == "2026-05-04T22:01:00.000Z")
    let kept = session.tripMemory(at: 300)
    #expect(kept == nil)
  }

  @Test func a_second_power_cut_before_the_decision_keeps_the_trip() throws {
    let (memory, _) = try cut()
    var session = resume(memory, off: 60, quality: .unset)
    drive(&session, 3...9)
    let kept = session.tripMemory(at: 9)
    #expect(kept == memory)
  }

  @Test func a_repeated_trip_end_is_the_same_record() throws {
    // The power fails after the record was written and before the state is stored, so the record is repeated.
    let (memory, _) = try cut()
    var ends: [Record] = []
    for _ in 0..<2 {
      var session = resume(memory, off: 3_600)
      session.advance(to: 1)
      ends += try session.records().of("trip")
    }
    #expect(ends.map { $0.text("event") } == ["end", "end"])
    #expect(ends[0].text("id") == ends[1].text("id"))
  }

  @Test func without_a_trip_no_state_is_stored() {
    var session = session()
    session.read("speed", 0, at: 0)
    let kept = session.tripMemory(at: 1)
    #expect(kept == nil)
  }
}

extension Session {
  mutating func tripMemory(at seconds: Double) -> TripMemory? {
    fusion.tripMemory(bootId: "b", at: Self.nanoseconds(seconds))
  }
}
