import FleetDomain
import FleetWork
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

/// The cost of hiding private journeys does not grow with the journeys that ended long ago.
@Suite struct PrivateJourneyPlanTests {
  @Test func private_journeys_are_found_by_their_ends() async throws {
    typealias Condition = ThingQuery<Journey>.Condition
    let time = Timestamp(nanoseconds: 1_767_225_600_000_000_000).json
    let ended: [Condition] = [.constant(key: "purpose", StaticText("private")), .atLeast(key: "endTime", time)]
    let underway: [Condition] = [
      .constant(key: "purpose", StaticText("private")), .oneOf(key: "endTime", [.null]),
      .oneOf(key: "status", Journey.Status.underway.map(\.json)),
    ]
    let begun = Condition.below(key: "startTime", time)
    let vehicles = Condition.oneOf(key: "vehicleId", [.text("VAN-1"), .text("VAN-2")])
    let fields = Journey.fields.filter { ["vehicleId", "startTime", "endTime"].contains($0.key) }
    let folder = try ScratchFolder()
    let storage = StoredFleet(engine: try SQLiteEngine(path: "\(folder.path)/fleet.db", steps: SQLiteSchema.steps))
    for (conditions, index) in [
      (ended, "journey_private_end (tenant=? AND end_time>?)"),
      (ended + [begun], "journey_private_end (tenant=? AND end_time>?)"),
      (ended + [vehicles, begun], "journey_private (tenant=? AND vehicle_id=? AND end_time>?)"),
      (underway, "journey_private_end (tenant=? AND end_time=?)"),
      (underway + [vehicles], "journey_private (tenant=? AND vehicle_id=? AND end_time=?)"),
    ] {
      let plan = try await storage.engine.write { session throws(StoreFailure) in
        var query = ThingQuery<Journey>()
        query.conditions = conditions
        let list = try ThingList(query, fields: fields, tenant: 1)
        return try session.rows("EXPLAIN QUERY PLAN \(list.sql)", list.values).map { $0.text(3) }
      }
      #expect(plan.contains { $0.contains(index) }, "\(index): \(plan)")
    }
    await storage.close()
  }
}
