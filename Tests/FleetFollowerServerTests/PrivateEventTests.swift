import FleetDomain
import FleetStorage
import FleetWork
import Telemetry
import Testing

@testable import FleetFollower

/// No event shows when a vehicle was driven privately.
@Suite struct PrivateEventTests {
  private static func events(_ fleet: FollowedFleet, _ event: FleetEvent.Event) async throws -> [FleetEvent] {
    try await fleet.things(ThingQuery<FleetEvent>(order: [.init("number")], limit: 100)).map(\.value)
      .filter { $0.event == event }
  }

  /// Adds a rule for the events, and private journeys.
  private static func prepare(
    _ fleet: FollowedFleet, _ events: [FleetEvent.Event], _ journeys: [(vehicle: String, from: Double, to: Double)]
  ) async throws {
    try await fleet.change { transaction throws(ThingError) in
      var rule = NotificationRule()
      (rule.name, rule.events) = ("All", events)
      try transaction.insert(rule)
      for (vehicle, from, to) in journeys {
        var journey = Journey()
        (journey.vehicle, journey.purpose, journey.status) = (vehicle, .personal, .completed)
        journey.isConfirmed = true
        (journey.startTime, journey.endTime) = (FollowedFleet.time(from), FollowedFleet.time(to))
        try transaction.insert(journey)
      }
    }
  }

  @Test(arguments: Database.allCases)
  func the_end_of_a_partly_private_trip_causes_no_event(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await Self.prepare(fleet, [.tripEnded], [("VAN-1", 990, 991)])
      // The first trip ends shortly after the private journey.
      try await fleet.store([
        try FollowedFleet.trip(1, from: 990.5, to: 991.25, #","distance":30"#),
        try FollowedFleet.trip(2, from: 992, to: 993, #","distance":5"#),
      ])
      try await fleet.follow()
      #expect(try await Self.events(fleet, .tripEnded).map(\.at) == [FollowedFleet.time(993)])
    }
  }

  @Test(arguments: Database.allCases)
  func silence_before_and_after_a_private_journey_causes_no_event(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await fleet.storage.addVehicle("VAN-2", tenant: .standard, at: FollowedFleet.time(0))
      try await Self.prepare(
        fleet, [.vehicleSilent, .vehicleBack], [("VAN-2", 990, 991), ("VAN-2", 1_020, 1_021)])
      func drive(_ number: UInt64, at hours: Double) async throws {
        try await fleet.store(
          try ["VAN-1", "VAN-2"].enumerated().map { index, vehicle in
            try FollowedFleet.record(
              number + UInt64(index), "telemetry", at: hours, vehicle: vehicle, #","speed":50"#)
          })
      }
      try await drive(1, at: 990.5)
      try await fleet.followDate(at: 1_018)
      #expect(try await Self.events(fleet, .vehicleSilent).map(\.vehicleID) == ["VAN-1"])
      try await drive(11, at: 1_020.5)
      try await fleet.followDate(at: 1_021)
      #expect(try await Self.events(fleet, .vehicleBack).map(\.vehicleID) == ["VAN-1"])
    }
  }
}
