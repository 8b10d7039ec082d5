import FleetDomain
import FleetFigures
import FleetStorage
import FleetWork
import Telemetry
import TestKit
import Testing

/// Two devices of a driver store their changes while they are offline. Later the network loses answers, so that requests
/// are repeated, and delivers requests in any order. The clocks of the devices differ. The final state is always the same,
/// nothing is lost, and the audit is intact.
@Suite struct OfflineQueueTests {
  /// A request that a device has stored.
  private enum Request: Sendable {
    case journey(Int, JourneyEvent.Event, JourneyCommand)
    case fuel(UUIDv7, FuelEntry)
  }

  private static func id(_ number: Int) -> UUIDv7 { UUIDv7(milliseconds: 1_000_000, first: 1, rest: UInt64(number)) }

  /// The requests of one device.
  ///
  /// - Parameter skew: the error of the device's clock, hours.
  private static func queue(device: Int, skew: Double, _ random: inout SplitMix) -> [Request] {
    (0..<40).map { number in
      let unique = device * 1_000 + number
      let at = FollowedFleet.time(Double(number) * 2 + skew)
      if Int.random(in: 0..<4, using: &random) == 0 {
        var entry = FuelEntry()
        (entry.vehicle, entry.at, entry.energy) = ("VAN-1", at, .diesel)
        (entry.quantity, entry.odometer) = (40, 10_000 + Double(number) * 10)
        return .fuel(id(unique), entry)
      }
      var command = JourneyCommand()
      (command.id, command.at) = (id(unique), at)
      if Bool.random(using: &random) { command.odometer = 10_000 + Double(number) * 10 }
      let event = JourneyEvent.Event.allCases.randomElement(using: &random) ?? .incident
      return .journey(Int.random(in: 0..<4, using: &random), event, command)
    }
  }

  /// Returns the final state as text.
  private static func deliver(
    _ queues: [[Request]], to fleet: FollowedFleet, _ random: inout SplitMix
  ) async throws -> [String] {
    let journeys = try await fleet.change { transaction throws(ThingError) in
      var driver = Driver()
      driver.name = "Dora"
      let id = try transaction.insert(driver).id
      var ids: [UUIDv7] = []
      for _ in 0..<4 {
        var journey = Journey()
        (journey.vehicle, journey.driverID) = ("VAN-1", id)
        ids.append(try transaction.insert(journey).id)
      }
      return ids
    }
    // Each request is sent one to three times, because answers are lost. Copies arrive in any order.
    let sent = queues.flatMap { $0 }.flatMap { request in
      Array(repeating: request, count: Int.random(in: 1...3, using: &random))
    }.shuffled(using: &random)
    for request in sent {
      try await fleet.change(at: 1_000) { transaction throws(ThingError) in
        switch request {
        case .journey(let number, let event, let command):
          let journey = try transaction.existing(journeys[number], Journey.self)
          try transaction.followReadings(of: try transaction.execute(event, command, of: journey, isOwn: true))
        case .fuel(let id, var entry):
          try entry.complete()
          try transaction.followReadings(of: try transaction.insertOnce(entry, id: id))
        }
      }
    }
    var state: [String] = []
    for id in journeys {
      let journey = try await fleet.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.existing(id, Journey.self).value
      }
      var members: [String: JSON] = [:]
      for field in Journey.fields where field.key != "driverId" { members[field.key] = field.json(journey) }
      state.append(JSON.object(members).canonicalText)
    }
    for entry in try await fleet.things(ThingQuery<FuelEntry>(order: [.init("at")], limit: 1_000)) {
      state.append("\(entry.id.string) \(entry.value.quantity)")
    }
    // Which of the readings is used depends on the order of arrival; which there are does not.
    state += try await fleet.things(ThingQuery<MeterReading>(limit: 1_000)).map(\.value).map {
      "\($0.source) \($0.part?.rawValue ?? "") \($0.odometer ?? 0) \($0.at.string)"
    }.sorted()
    return state
  }

  @Test(arguments: Database.allCases, 1...3)
  func any_delivery_gives_the_same_state(_ database: Database, seed: Int) async throws {
    var random = SplitMix(seed: UInt64(seed))
    let queues = [
      Self.queue(device: 1, skew: 0, &random),
      Self.queue(device: 2, skew: Double(Int.random(in: -5...5, using: &random)) + 0.25, &random),
    ]
    var states: [[String]] = []
    for _ in 0..<3 {
      var order = random
      _ = random.next()
      try await FollowedFleet.with(database) { fleet in
        states.append(try await Self.deliver(queues, to: fleet, &order))
        var (number, hash) = (Int64(0), AuditEntry.firstHash)
        while true {
          let entries = try await fleet.storage.auditEntries(after: number, limit: 1_000, tenant: .standard)
          guard !entries.isEmpty else { break }
          for entry in entries {
            #expect(entry.hash == AuditEntry.hash(entry.content, after: hash))
            (number, hash) = (entry.number, entry.hash)
          }
        }
        #expect(number > 80)
      }
    }
    #expect(states[0] == states[1] && states[1] == states[2])
    // Nothing is lost.
    let events = queues.flatMap { $0 }.count { if case .journey = $0 { true } else { false } }
    let logged = states[0].prefix(4).reduce(0) { $0 + $1.matches(of: /"timestamp":/).count }
    #expect(logged == events)
    #expect(states[0].count { $0.hasSuffix(" 40.0") } == 80 - events)
  }
}
