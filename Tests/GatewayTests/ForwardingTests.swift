import Fusion
import Glibc
import Ports
import Spool
import Telemetry
import TestKit
import Testing

@testable import Gateway
@testable import GatewayForwarding
@testable import GatewayOutput
@testable import GatewayRecords
@testable import GatewayTestKit

@Suite struct ForwardingTests {
  private static func options(_ folder: String) -> SpoolOptions {
    SpoolOptions(folder: folder, sinks: [], newEpoch: { UUIDv7(milliseconds: 1, first: 2, rest: 3) })
  }

  /// Sends notes to the spool as the record thread does, and ends.
  private static func run(_ folder: String, file: String, notes: [(name: String, value: [UInt8])]) async throws {
    try await runBlocking {
      let queue = try SpoolQueue()
      let origin = Forwarding.Origin(gatewayId: "gw-test", vehicleId: nil, idSeed: 1)
      let forwarding = try Forwarding(options(folder), bootId: "boot", origin, queue: queue) { _ in }
      forwarding.supersede(file, by: TripStore.note)
      var load = SpoolQueue.Load()
      load.notes = notes
      load.isLast = true
      queue.put(&load)
      forwarding.run()
    }
  }

  @Test func an_old_state_file_is_deleted_after_its_note_is_durable() async throws {
    let scratch = try ScratchFolder()
    let file = try scratch.write("trips.jsonl", "line\n")
    // Ends before the record thread has reported trips.
    try await Self.run(scratch.file("state"), file: file, notes: [])
    #expect(unsafe access(file, F_OK) == 0)
    let text = Array("under way\n".utf8)
    try await Self.run(scratch.file("state"), file: file, notes: [(TripStore.note, text)])
    #expect(unsafe access(file, F_OK) != 0)
    let spool = Spool(Self.options(scratch.file("state")), bootId: "boot", at: 0)
    let kept = spool.note(TripStore.note)
    #expect(kept == text)
  }

  @Test func records_lost_in_a_power_cut_are_reported_with_the_date_of_the_machine() async throws {
    let scratch = try ScratchFolder()
    var options = Self.options(scratch.file("state"))
    options.sinks = ["a"]
    var cut = Spool(options, bootId: "boot-1", at: 0)
    let id = UUIDv7(milliseconds: 1, first: 2, rest: 3)
    let head = RecordHead(
      type: .adapter, id: id, time: .elapsed(nanoseconds: 0), gatewayId: "gw-test", vehicleId: "v", epoch: id,
      sequence: 1)
    var line = JSONLineEncoder(capacity: 1_024)
    line.record(head, AdapterRecord(event: .found, device: "/dev/a"))
    try cut.append(line.line, at: 0)
    cut.advance(to: 0)
    // The spool is released without being closed.
    cut = Spool(SpoolOptions(folder: nil, sinks: [], newEpoch: options.newEpoch), bootId: "boot-1", at: 0)
    let kept = options
    try await runBlocking {
      let queue = try SpoolQueue()
      let origin = Forwarding.Origin(gatewayId: "gw-test", vehicleId: nil, idSeed: 1)
      let forwarding = try Forwarding(kept, bootId: "boot-2", origin, queue: queue) { _ in }
      // No record has a date yet.
      var load = SpoolQueue.Load()
      load.isLast = true
      queue.put(&load)
      forwarding.run()
    }
    var spool = Spool(options, bootId: "boot-3", at: 0)
    var batch = RecordBatch()
    spool.nextBatch(for: 0, limit: RecordBatch.Limit(records: 100), at: 0, into: &batch)
    let records = try batch.records.map { try Record(batch.bytes[$0.range]) }
    let gap = try #require(records.first { $0.type == "gap" && $0["reason"] == "powerLoss" })
    // The first 48 bits of the ID are its time (RFC 9562, 5.7), which the file sink uses to rotate files.
    let digits = try #require(gap["id"]).filter { $0 != "-" }.prefix(12)
    let milliseconds = try #require(Int64(digits, radix: 16))
    let now = (BootClock.now + MachineClock.read().offset) / 1_000_000
    #expect(abs(now - milliseconds) < 3_600_000, "\(gap.text)")
  }

  @Test func a_trip_migrated_to_the_spool_leaves_no_file() async throws {
    let scratch = try ScratchFolder()
    let file = try scratch.write("trips.jsonl", "line\n")
    try await Self.run(scratch.file("state"), file: file, notes: [(TripStore.note, [])])
    #expect(unsafe access(file, F_OK) != 0)
  }

  @Test func reading_the_trips_of_a_time_without_a_spool_leaves_their_file() throws {
    let scratch = try ScratchFolder()
    _ = try scratch.write("trips.jsonl", "damaged\n")
    #expect(TripStore(note: nil, before: scratch.path).takenOver == nil)
    #expect(unsafe access(scratch.file("trips.jsonl"), F_OK) == 0)
  }
}
