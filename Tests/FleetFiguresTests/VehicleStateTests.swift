import FleetDomain
import FleetFigures
import Telemetry
import Testing

@Suite struct VehicleStateTests {
  /// Returns the state of a vehicle whose telemetry has the time 0 s.
  ///
  /// - Parameter age: the age of the newest record, s.
  private static func state(
    speed: Double? = nil, rpm: Double? = nil, trip: LastKnown.Trip? = nil, age: Int64 = 10
  ) -> VehicleState {
    var known = LastKnown(vehicle: "V")
    known.motion = LastKnown.Motion(time: time(0), speed: speed, rpm: rpm)
    known.trip = trip
    known.lastRecordAt = time(0)
    return VehicleState(of: known, at: time(age))
  }

  private static func time(_ seconds: Int64) -> Timestamp { Timestamp(nanoseconds: seconds * 1_000_000_000) }

  @Test func speed_and_engine_decide_whether_a_vehicle_moves_or_idles() {
    #expect(Self.state(speed: 50, rpm: 1_700) == .moving)
    // An electric vehicle, and a tracker without OBD.
    #expect(Self.state(speed: 50) == .moving)
    #expect(Self.state(speed: 3) == .moving)
    #expect(Self.state(speed: 2.9, rpm: 800) == .idle)
    #expect(Self.state(rpm: 800) == .idle)
    #expect(Self.state(speed: 0, rpm: 0) == .parked)
    // No record shows that the engine runs.
    #expect(Self.state(speed: 0) == .parked)
    #expect(Self.state() == .parked)
  }

  @Test func the_end_of_a_trip_parks_the_vehicle() {
    #expect(Self.state(rpm: 800, trip: .init(time: Self.time(0), hasEnded: true)) == .parked)
    #expect(Self.state(rpm: 800, trip: .init(time: Self.time(-1), hasEnded: true)) == .idle)
    #expect(Self.state(rpm: 800, trip: .init(time: Self.time(5), hasEnded: false)) == .idle)
  }

  @Test func a_vehicle_without_new_records_is_silent() {
    #expect(Self.state(speed: 50, age: 900) == .moving)
    #expect(Self.state(speed: 50, age: 901) == .silent)
    #expect(Self.state(rpm: 800, age: 901) == .silent)
    #expect(Self.state(rpm: 0, age: 901) == .parked)
    #expect(Self.state(rpm: 0, age: 86_400) == .parked)
    #expect(Self.state(rpm: 0, age: 86_401) == .silent)
    #expect(VehicleState(of: LastKnown(vehicle: "V"), at: Self.time(0)) == .silent)
  }
}
