import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// The whole chain: adapter, daemon, spool, network, fleet store. Each of them is repeatedly killed at a random time.
/// Every record that was committed to the spool is in the store once, with the values that the car sent.
@Suite struct FleetKillTests {
  @Test func every_record_arrives_once_over_http_into_sqlite_despite_kills() async throws {
    try await runBlocking {
      let fleet = try KilledFleet(FleetRun())
      let rounds = KilledFleet.kills(16)
      for round in 0..<rounds {
        try fleet.drive()
        if round % 2 == 0 { try fleet.killDaemon() } else { try fleet.killStore() }
      }
      #expect(try fleet.finish().count > 20 * rounds)
    }
  }

  @Test func every_record_arrives_once_over_http_into_postgresql_despite_kills() async throws {
    try await runBlocking {
      let database = try PostgreSQLServer(isSynchronous: true)
      let fleet = try KilledFleet(FleetRun(database: try database.database()))
      let rounds = KilledFleet.kills(8)
      for round in 0..<rounds {
        try fleet.drive()
        switch round % 4 {
        case 0:
          try database.killNow()
          // The store reports a failure, and the spool keeps the records.
          try fleet.drive()
          try database.restart()
        case 1: try fleet.killStore()
        case 2: try fleet.killDaemon()
        default:
          try fleet.killStore {
            try database.killNow()
            try database.restart()
          }
        }
      }
      #expect(try fleet.finish().count > 20 * rounds)
    }
  }

  @Test func every_record_arrives_once_over_mosquitto_despite_kills() async throws {
    try await runBlocking {
      let folder = try ScratchFolder()
      let broker = try Mosquitto(isPersistent: true, in: folder)
      let url = "mqtt://127.0.0.1:\(broker.port)"
      let fleet = try KilledFleet(FleetRun(broker: FleetRun.Broker(daemon: url, store: url))) { _ in
        // Before that, the broker keeps nothing for the worker.
        try broker.says("Sending SUBACK to fleetstore")
      }
      let rounds = KilledFleet.kills(8)
      for round in 0..<rounds {
        try fleet.drive()
        switch round % 4 {
        case 0:
          // Every record that the daemon saw acknowledged must be in the file: the broker and, before it, the daemon
          // are killed. Messages that the worker acknowledges from then on are redelivered. The daemon starts last,
          // because a restarted mosquitto does not know a shared subscription until the worker is back: messages
          // published before get reason code 0x10 in their PUBACK, no matching subscribers, and are lost (2.0.11).
          try fleet.killDaemon {
            try broker.save()
            poll(nil, 0, Int32.random(in: 0...300))
            try broker.kill()
            try broker.startAgain()
            try broker.says("Sending SUBACK to fleetstore")
          }
        case 1, 3: try fleet.killStore()
        default: try fleet.killDaemon()
        }
      }
      #expect(try fleet.finish().count > 20 * rounds)
    }
  }

  @Test func every_record_arrives_once_over_rabbitmq_despite_kills() async throws {
    try await runBlocking {
      let rabbit = try RabbitMQ(nodes: 1)
      let node = rabbit.nodes[0]
      let broker = FleetRun.Broker(
        daemon: "mqtt://127.0.0.1:\(node.mqttPort)", store: "amqp://guest@127.0.0.1:\(node.port)", password: "guest\n")
      let fleet = try KilledFleet(FleetRun(broker: broker)) { store in
        // The worker declares the queue. Messages that are published before are discarded.
        try store.anyErrorLine(within: .seconds(120)) { $0.contains("records are taken from it") }
      }
      // A node takes ten seconds to restart.
      let rounds = max(4, KilledFleet.kills(4) / 4)
      for round in 0..<rounds {
        try fleet.drive()
        switch round % 4 {
        case 0:
          try node.killNow()
          try node.start()
          try node.waitUntilReady()
        case 1, 3: try fleet.killStore()
        default: try fleet.killDaemon()
        }
      }
      #expect(try fleet.finish().count > 20 * rounds)
    }
  }
}
