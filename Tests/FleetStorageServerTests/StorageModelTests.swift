import FleetDomain
import FleetStorageTestKit
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

/// Batches of every kind, and every query about them, compared with ``StorageModel``.
@Suite struct StorageModelTests {
  /// Creates batches as gateways with right and wrong clocks send them. Successive ids differ by a tenth of an hour,
  /// over three months.
  private struct Sender {
    var random: SplitMix
    /// For each vehicle, the next number that was not sent yet.
    private var next = [0, 5, 9]

    init(random: SplitMix) { self.random = random }

    mutating func batch() -> [IncomingRecord] {
      let vehicle = Int.random(in: 0..<3, using: &random)
      let count = [1, 2, 15, 16, 40, 130, 300].randomElement(using: &random) ?? 1
      let sent = max(next[vehicle], 1)
      var numbers: [Int]
      switch Int.random(in: 0..<6, using: &random) {
      case 0...2:
        // The batch has only new records.
        numbers = Array(next[vehicle]..<(next[vehicle] + count))
        next[vehicle] += count
      case 3:
        // The batch has some records that were sent already, and some new ones.
        let first = max(0, next[vehicle] - count / 2)
        numbers = Array(first..<(first + count))
        next[vehicle] = max(next[vehicle], first + count)
      case 4:
        // A backlog that arrives after newer records: the next call with a lower number fills the gap.
        numbers = Array((next[vehicle] + count)..<(next[vehicle] + 2 * count))
      default: numbers = (0..<count).map { _ in Int.random(in: 0..<(sent + 50), using: &random) }
      }
      if Int.random(in: 0..<5, using: &random) == 0 { numbers.shuffle(using: &random) }
      let quality = ["gps", "gps", "ntp", "system"].randomElement(using: &random) ?? "gps"
      let isMixed = Int.random(in: 0..<3, using: &random) == 0
      return numbers.map { record($0, vehicle, quality, isMixed: isMixed) }
    }

    private mutating func record(_ number: Int, _ vehicle: Int, _ quality: String, isMixed: Bool) -> IncomingRecord {
      let id = Sample.day - 6_912_000_000 + Int64(number) * 360_000
      var seconds = Double(id - Sample.day) / 1_000
      var noTime = false
      if isMixed {
        switch Int.random(in: 0..<40, using: &random) {
        case 0: (noTime, seconds) = (true, Double(number))
        case 1: seconds += Double(Int.random(in: -9_000...9_000, using: &random))
        case 2: seconds = Double((number / 4) * 1_440) - 6_912_000
        case 3: seconds = 5 * 86_400
        default: break
        }
      }
      return Sample.record(
        number, at: seconds, noTime: noTime, quality: quality, vehicle: "VAN-\(vehicle)", idAt: UInt64(id),
        keys: number % 3 == 0 ? #","latitude":47.5,"longitude":9.5"# : "")
    }
  }

  /// Compares the results of queries about all records.
  private static func compare(_ storage: StoredFleet, _ model: StorageModel, _ random: inout SplitMix) async throws {
    for vehicle in (0..<3).map({ "VAN-\($0)" }) where try await storage.vehicle(vehicle, tenant: .standard) != nil {
      let expected = model.records(of: vehicle)
      let limit = [1, 7, 100, 2_000].randomElement(using: &random) ?? 1
      var query = RecordQuery.telemetry(of: vehicle, limit: expected.count > 400 ? max(limit, 97) : limit)
      #expect(try await storage.all(query) == expected.map(\.record))
      query.order = .newestFirst
      #expect(try await storage.all(query) == expected.reversed().map(\.record))

      let times = expected.compactMap(\.record.time).sorted { $0.nanoseconds < $1.nanoseconds }
      if let first = times.randomElement(using: &random), let second = times.randomElement(using: &random) {
        let (from, to) = first.nanoseconds < second.nanoseconds ? (first, second) : (second, first)
        (query.from, query.to) = (from, to)
        let part = expected.map(\.record).filter { record in
          record.time.map { $0.nanoseconds >= from.nanoseconds && $0.nanoseconds < to.nanoseconds } ?? false
        }
        #expect(try await storage.all(query) == part.reversed())
        query.order = .oldestFirst
        #expect(try await storage.all(query) == part)
      }
      for every in [400_000, 7_200_000, 86_400_000, 1_000_000_000] as [Int64] {
        query = .telemetry(of: vehicle, every: every, limit: [3, 500].randomElement(using: &random) ?? 3)
        var newest: [Int64: StoredRecord] = [:]
        for record in expected.map(\.record) {
          if let time = record.time { newest[RecordPage.spanEnd(time.milliseconds, every)] = record }
        }
        #expect(try await storage.all(query) == newest.sorted { $0.key < $1.key }.map(\.value))
      }
      let latest = try #require(try await storage.latest(vehicle: vehicle, tenant: .standard))
      #expect(latest.telemetry == model.newest(of: vehicle, withPosition: false))
      #expect(latest.position == model.newest(of: vehicle, withPosition: true))
      #expect(latest.vehicle.value.lastRecordAt == model.newest(of: vehicle, withPosition: false)?.time)
    }
  }

  private static func recordsInRuns(_ storage: StoredFleet) async throws -> Int64 {
    try await storage.engine.read { session throws(StoreFailure) in
      try session.rows("SELECT coalesce(sum(count), 0) FROM telemetry_run", []).first?.integer(0) ?? 0
    }
  }

  @Test(arguments: Kind.allCases, [1, 2, 3, 4] as [UInt64])
  func every_answer_is_that_of_a_plain_model(_ kind: Kind, _ seed: UInt64) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      var random = SplitMix(seed: seed)
      var sender = Sender(random: SplitMix(seed: seed &+ 1_000))
      var model = StorageModel()
      var position = FeedPosition.start
      var mostInRuns: Int64 = 0
      for step in 0..<60 {
        let now = Timestamp(nanoseconds: Sample.now.nanoseconds + Int64(step) * 1_000_000)
        let batch = sender.batch()
        let (outcomes, changed) = try model.store(batch, at: now)
        #expect(try await storage.ingest(batch, from: .trusted, tenant: .standard, at: now) == outcomes)
        // The feed contains the records that the batch changed, in their present state.
        let changes = try await storage.changes(after: position, limit: 1_000, tenant: .standard)
        #expect(changes.count == changed.count)
        #expect(changes.allSatisfy { model.record($0.record.vehicle, $0.record.id) == $0.record })
        #expect(Set(changes.map(\.record.id)) == changed)
        position = changes.last?.position ?? position
        if step % 20 == 10 {
          // At most two months of three are removed, another day in each step.
          let cutoff = Timestamp(nanoseconds: Sample.now.nanoseconds - Int64(50 - step) * 86_400_000_000_000)
          model.remove(before: cutoff, at: now)
          try await storage.removeRecords(.known(.telemetry), before: cutoff, at: now)
        }
        if step == 35 {
          _ = try await storage.removeVehicle("VAN-1", tenant: .standard)
          model.remove(vehicle: "VAN-1")
          if seed % 2 == 0 { try await storage.finishRemovals() }
        }
        if step % 4 == 0 {
          try await Self.compare(storage, model, &random)
          try await fleet.expectExactSizes()
          mostInRuns = max(mostInRuns, try await Self.recordsInRuns(storage))
        }
      }
      try await storage.finishRemovals()
      try await Self.compare(storage, model, &random)
      // Some batches were large enough to be stored as runs.
      #expect(mostInRuns > 200)
    }
  }
}
