import FleetDomain
import FleetStorage
import Foundation
import Synchronization
import TestKit
import Testing

/// Three RabbitMQ nodes, three worker processes and one PostgreSQL. A node and a worker are killed while gateways
/// publish. `make torture-brokers` runs it, because three nodes take a minute to start.
@Suite(
  .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["BROKER_VEHICLES"] != nil,
    "a cluster under load: make torture-brokers runs it"))
struct BrokerClusterTests {
  @Test(arguments: [1, 3]) func no_record_is_lost_or_duplicated_if_any_process_is_killed(_ nodes: Int) async throws {
    let vehicles = Int(ProcessInfo.processInfo.environment["BROKER_VEHICLES"] ?? "") ?? 4
    let cluster = try await runBlocking({ try BrokerCluster(nodes: nodes) })
    let report = try await runBlocking { try cluster.run(vehicles: vehicles, records: 20_000, kills: nodes > 1) }
    print("brokers: \(nodes) nodes, \(cluster.workers) workers: \(report)")
    let storage = try await StoredFleet(postgreSQL: cluster.database)
    let store = Store(storage: storage, address: cluster.database)
    for vehicle in 1...vehicles {
      let numbers = try await store.numbers("VAN-\(vehicle)")
      #expect(numbers == Array(1...20_000), "VAN-\(vehicle): \(numbers.count), of these \(Set(numbers).count)")
    }
    await storage.close()
    let left = try await runBlocking { try cluster.leftInQueues() }
    #expect(left == ["fleet.ingest\t0", "fleet.ingest.refused\t0"], "\(left)")
  }
}
