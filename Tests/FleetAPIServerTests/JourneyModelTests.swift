import FleetDomain
import FleetStorageTestKit
import FleetWork
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Two drivers send random commands at once, on both databases. A model predicts the results.
///
/// Half of the commands come from a device that stored them: late, repeatedly, and in another order.
@Suite struct JourneyModelTests {
  /// The state after each event, from the table of states in docs/FleetWork.md. An event without an entry is not allowed.
  private static let table: [Journey.Status: [JourneyEvent.Event: Journey.Status]] = [
    .planned: [.started: .inProgress, .cancelled: .cancelled, .incident: .planned],
    .inProgress: [.paused: .paused, .completed: .completed, .cancelled: .cancelled, .incident: .inProgress],
    .paused: [.resumed: .inProgress, .completed: .completed, .cancelled: .cancelled, .incident: .paused],
    .completed: [.incident: .completed], .cancelled: [.incident: .cancelled],
  ]

  struct Command: Equatable {
    let journey: Int
    let event: JourneyEvent.Event
    let id: UUIDv7
    let at: Timestamp
  }

  /// The events that one driver has sent, by journey.
  private struct Model {
    var events: [[Command]]

    func fold(_ journey: Int) -> (status: Journey.Status, doubts: Int) {
      var (status, doubts) = (Journey.Status.planned, 0)
      for event in events[journey].sorted(by: { ($0.at, $0.id.string) < ($1.at, $1.id.string) }) {
        guard let next = JourneyModelTests.table[status]?[event.event] else {
          doubts += 1
          continue
        }
        status = next
      }
      return (status, doubts)
    }

    func isUnderway(except journey: Int? = nil) -> Bool {
      events.indices.contains { $0 != journey && [.inProgress, .paused].contains(fold($0).status) }
    }
  }

  private static func time(_ tick: Int64) -> Timestamp {
    Timestamp(nanoseconds: 1_800_000_000_000_000_000 + tick * 1_000_000)
  }

  /// - Returns: the number of commands.
  private static func drive(
    _ storage: any FleetStorage, driver: UUIDv7, vehicle: String, seed: UInt64, commands: Int
  ) async throws -> Int {
    var random = SplitMix(seed: seed)
    let ids = try await storage.change(tenant: .standard, by: Actor(.command), at: time(0)) {
      transaction throws(ThingError) in
      var ids: [UUIDv7] = []
      for _ in 0..<40 {
        var journey = Journey()
        (journey.driverID, journey.vehicle) = (driver, vehicle)
        ids.append(try transaction.insert(journey).id)
      }
      return ids
    }
    var model = Model(events: ids.map { _ in [] })
    var (tick, done) = (Int64(seed), 0)
    var stored: [Command] = []
    func next(_ journey: Int) -> Command {
      tick += 1
      return Command(
        journey: journey, event: JourneyEvent.Event.allCases.randomElement(using: &random) ?? .incident,
        id: UUIDv7(milliseconds: UInt64(tick), seed: seed, number: UInt64(tick)), at: time(tick))
    }
    while done < commands || !stored.isEmpty {
      let journey = Int.random(in: 0..<ids.count, using: &random)
      if done < commands, Bool.random(using: &random) {
        // As if the device were offline.
        stored.append(next(journey))
        done += 1
      }
      var batch: [(command: Command, isStored: Bool)] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        if !stored.isEmpty, Bool.random(using: &random) || done >= commands {
          let index = Int.random(in: stored.indices, using: &random)
          batch.append((stored[index], true))
          // Sometimes the answer is lost, and the command is sent again.
          if Int.random(in: 0..<4, using: &random) > 0 { stored.remove(at: index) }
        } else if done < commands {
          batch.append((next(journey), false))
          done += 1
        }
      }
      let (now, sent) = (time(tick), batch)
      let results = try await storage.change(tenant: .standard, by: Actor(.command), at: now) {
        transaction throws(ThingError) in
        var results: [String?] = []
        for (command, isStored) in sent {
          var body = JourneyCommand()
          body.at = command.at
          if isStored { body.id = command.id }
          do throws(ThingError) {
            let journey = try transaction.existing(ids[command.journey], Journey.self)
            _ = try transaction.execute(command.event, body, of: journey, isOwn: false)
            results.append(nil)
          } catch {
            switch error {
            case .invalidState: results.append("invalidState")
            case .rule(let code, _): results.append(code)
            default: throw error
            }
          }
        }
        return results
      }
      for ((command, isStored), result) in zip(batch, results) {
        if isStored {
          #expect(result == nil)
          if !model.events[command.journey].contains(command) { model.events[command.journey].append(command) }
          continue
        }
        let isAllowed = table[model.fold(command.journey).status]?[command.event] != nil
        let expected =
          !isAllowed
          ? "invalidState"
          : command.event == .started && model.isUnderway(except: command.journey) ? "journeyInProgress" : nil
        #expect(result == expected, "\(command)")
        if expected == nil { model.events[command.journey].append(command) }
      }
    }
    let (final, status) = (
      try await storage.view(tenant: .standard) { view throws(ThingError) in
        var journeys: [Journey] = []
        for id in ids { journeys.append(try view.existing(id, Journey.self).value) }
        return journeys
      },
      try await storage.view(tenant: .standard) { view throws(ThingError) in
        try view.existing(driver, Driver.self).value.status
      }
    )
    for (index, journey) in final.enumerated() {
      let expected = model.fold(index)
      #expect(journey.status == expected.status && journey.log.count == model.events[index].count)
      #expect(journey.log.filter { $0.doubt != nil }.count == expected.doubts)
      #expect(journey.needsReview == (expected.doubts > 0))
    }
    #expect(status == (model.isUnderway() ? .onTrip : .available))
    return done
  }

  @Test(arguments: TestServer.Database.allCases)
  func random_commands_agree_with_the_model(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let storage = server.storage
      let drivers = try await storage.change(tenant: .standard, by: Actor(.command), at: Self.time(0)) {
        transaction throws(ThingError) in
        var drivers: [UUIDv7] = []
        for name in ["Dora", "Emil"] {
          var driver = Driver()
          driver.name = name
          drivers.append(try transaction.insert(driver).id)
        }
        return drivers
      }
      async let first = Self.drive(storage, driver: drivers[0], vehicle: "VAN-1", seed: 1, commands: 2_500)
      async let second = Self.drive(storage, driver: drivers[1], vehicle: "VAN-2", seed: 2, commands: 2_500)
      #expect(try await first + second == 5_000)
      // Each hash in the audit matches its entry and the hash before it.
      var (number, hash) = (Int64(0), AuditEntry.firstHash)
      while true {
        let entries = try await storage.auditEntries(after: number, limit: 1_000, tenant: .standard)
        guard !entries.isEmpty else { break }
        for entry in entries {
          #expect(entry.hash == AuditEntry.hash(entry.content, after: hash))
          (number, hash) = (entry.number, entry.hash)
        }
      }
      #expect(number > 1_000)
    }
  }
}
