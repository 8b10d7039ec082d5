import Foundation
import Peers
import Ports
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import Gateway
@testable import GatewayForwarding
@testable import Sinks
@testable import Spool

/// The spool's side of a sink that runs in its own thread.
@Suite struct SinkFeederTests {
  /// The vehicle that a server accepts for this gateway, and the records that it rejected before.
  private final class Entry: Sendable {
    private let state: Mutex<(vehicle: String, givenUp: Int)>

    init(_ vehicle: String) { state = Mutex((vehicle, 0)) }

    var vehicle: String { state.withLock { $0.vehicle } }
    var givenUp: Int { state.withLock { $0.givenUp } }
    func setVehicle(_ vehicle: String) { state.withLock { $0.vehicle = vehicle } }
    func giveUp(_ count: Int) { state.withLock { $0.givenUp += count } }
  }

  /// A fleet store that accepts the records of one vehicle, without a network or a delay.
  private struct Store: Sink, ~Copyable {
    var server: UploadPlan.Server
    let entry: Entry

    mutating func deliver(_ batch: RecordBatch, _ wakeUp: SinkWakeUp) -> Sinks.Delivery {
      var delivery = Sinks.Delivery()
      var plan = UploadPlan(server, records: batch.records.count)
      defer { server = plan.server }
      while let request = plan.next() {
        let reply = answer(request.records.map { batch.bytes[batch.records[$0].range] })
        if case .delivered(let records, let refused) = plan.judge(reply) { recordResult(records, refused, &delivery) }
      }
      switch plan.conclude() {
      case .delivered(let records, let refused): recordResult(records, refused, &delivery)
      case .setAside: delivery.isSetAside = true
      default: break
      }
      return delivery
    }

    private func recordResult(_ taken: Range<Int>, _ refused: [StoreAnswer.Refusal], _ delivery: inout Sinks.Delivery) {
      delivery.acknowledge(taken)
      for refusal in refused where !taken.contains(refusal.index) {
        delivery.acknowledge(refusal.index..<(refusal.index + 1))
      }
      entry.giveUp(refused.count)
      guard let first = refused.first else { return }
      delivery.events.append(.refused(record: "1", reason: first.reason, more: refused.count - 1, keptIn: nil))
    }

    private func answer(_ lines: [ArraySlice<UInt8>]) -> HTTPReply {
      let vehicle = entry.vehicle
      let foreign = lines.indices.filter { !vehicle.utf8.elementsEqual(RecordLine.vehicleId(lines[$0]) ?? []) }
      let results = foreign.map {
        #"{"index":\#($0),"outcome":"refused","kind":"foreignVehicle","reason":"not this vehicle"}"#
      }
      let counts = #""stored":\#(lines.count - foreign.count),"duplicates":0,"refused":\#(foreign.count)"#
      return HTTPReply(
        status: 200, body: Array("{\(counts),\"results\":[\(results.joined(separator: ","))]}".utf8))
    }
  }

  /// Appends events of a vehicle and commits them.
  private static func append(_ count: Int, of vehicle: String, to spool: inout Spool) throws {
    let id = UUIDv7(milliseconds: 1, first: 2, rest: 3)
    var line = JSONLineEncoder(capacity: 1_024)
    for _ in 0..<count {
      let head = RecordHead(
        type: .adapter, id: id, time: .elapsed(nanoseconds: 0), gatewayId: "gw-17", vehicleId: vehicle, epoch: id,
        sequence: 1)
      line.record(head, AdapterRecord(event: .found, device: "/dev/a"))
      try spool.append(line.line, at: BootClock.now)
    }
    spool.commitAll(at: BootClock.now)
  }

  /// A spool with old records of another vehicle, and a sink that receives 20 at a time.
  private struct Scene: ~Copyable {
    var spool: Spool
    var outgoing: SinkFeeder
    let slot: SinkSlot
    let wakeUp: WakeUp

    init(_ folder: String, _ entry: Entry) throws {
      let url = try #require(ServiceURL("http://store/api", schemes: FleetStoreConfiguration.schemes))
      let wakeUp = try WakeUp()
      let slot = try SinkSlot(reportsTo: wakeUp)
      (self.wakeUp, self.slot) = (wakeUp, slot)
      spool = Spool(
        SpoolOptions(folder: folder, sinks: ["store"], newEpoch: { UUIDv7(milliseconds: 1, first: 2, rest: 3) }),
        bootId: "boot", at: BootClock.now)
      outgoing = SinkFeeder(
        name: "store", index: 0, slot: slot, limit: RecordBatch.Limit(records: 20), BatchPolicy(), names: nil)
      Thread.detachNewThread { slot.run(Store(server: UploadPlan.Server(url), entry: entry)) }
    }

    deinit { slot.stop() }

    /// Delivers batches, and returns the number of records that the sink then lacks.
    mutating func lacking(afterBatches count: Int) -> Int64 {
      let deadline = BootClock.now + 60_000_000_000
      for _ in 0..<count {
        _ = outgoing.exchange(&spool, at: BootClock.now)
        while !slot.takesBatch, BootClock.now < deadline { if wakeUp.wait(until: deadline) { wakeUp.clear() } }
      }
      _ = outgoing.exchange(&spool, at: BootClock.now)
      spool.commitAll(at: BootClock.now)
      return spool.depth.file
    }
  }

  @Test func many_foreign_records_do_not_block_other_records() async throws {
    let scratch = try ScratchFolder()
    let folder = scratch.path
    try await runBlocking {
      let entry = Entry("VAN-001")
      var scene = try Scene(folder, entry)
      try Self.append(67, of: "VAN-002", to: &scene.spool)
      // While the server accepts nothing, no record is rejected for good.
      #expect(scene.lacking(afterBatches: 15) == 67)
      #expect(entry.givenUp == 0)
      try Self.append(1, of: "VAN-001", to: &scene.spool)
      #expect(scene.lacking(afterBatches: 15) == 0)
      #expect(entry.givenUp == 67)
      let status = scene.outgoing.status(oldestAge: nil)
      #expect(status.delivered == 1)
      #expect(status.rejected == 67)
      #expect(status.rejectionReason == "not this vehicle")
      // One line was logged at once; the remaining records are reported together a minute later.
      #expect(scene.outgoing.due > BootClock.now)
      #expect(scene.outgoing.due != .max)
    }
  }

  @Test func records_set_aside_are_delivered_when_the_server_accepts_them() async throws {
    let scratch = try ScratchFolder()
    let folder = scratch.path
    try await runBlocking {
      let entry = Entry("VAN-001")
      var scene = try Scene(folder, entry)
      try Self.append(67, of: "VAN-002", to: &scene.spool)
      #expect(scene.lacking(afterBatches: 3) == 67)
      entry.setVehicle("VAN-002")
      #expect(scene.lacking(afterBatches: 8) == 0)
      #expect(entry.givenUp == 0)
    }
  }
}
