import Fusion
import Glibc
import Ports
import Spool
import Telemetry
import TestKit
import Testing

@testable import Gateway

@Suite struct ForwardingTests {
  private static func options(_ folder: String) -> SpoolOptions {
    SpoolOptions(folder: folder, sinks: [], newEpoch: { UUIDv7(milliseconds: 1, first: 2, rest: 3) })
  }

  /// Hands notes to the spool, as the record thread does, and ends.
  private static func run(_ folder: String, file: String, notes: [(name: String, value: [UInt8])]) async throws {
    try await aside {
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

  @Test func a_file_goes_once_the_note_that_takes_its_place_is_on_the_disk_and_not_before() async throws {
    let scratch = try ScratchFolder()
    let file = try scratch.write("trips.jsonl", "line\n")
    // Ended before the record thread has told anything of trips.
    try await Self.run(scratch.file("state"), file: file, notes: [])
    #expect(unsafe access(file, F_OK) == 0)
    let text = Array("under way\n".utf8)
    try await Self.run(scratch.file("state"), file: file, notes: [(TripStore.note, text)])
    #expect(unsafe access(file, F_OK) != 0)
    let spool = Spool(Self.options(scratch.file("state")), bootId: "boot", at: 0)
    let kept = spool.note(TripStore.note)
    #expect(kept == text)
  }

  @Test func a_trip_that_is_taken_over_and_over_at_once_leaves_no_file_either() async throws {
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
