import FleetDomain
import FleetStorage
import Glibc
import Telemetry

enum Bench {
  /// 2026-11-01T00:00:00Z, ms.
  static let start: Int64 = 1_793_491_200_000
  static let first = Timestamp(nanoseconds: start * 1_000_000)
  /// The time of the server's clock. It is half a year later, so that no record's time is ahead of it.
  static let now = Timestamp(nanoseconds: (start + 15_552_000_000) * 1_000_000)

  /// Returns a telemetry record of about 400 bytes, in the form in which gateways send it.
  static func line(vehicle: Int, second: Int) -> [UInt8] {
    let milliseconds = start + Int64(second) * 1_000
    let time = RecordTime.wall(Timestamp(nanoseconds: milliseconds * 1_000_000), .gps)
    var line = JSONLineEncoder()
    line.begin()
    RecordHead(
      type: .telemetry,
      id: UUIDv7(milliseconds: UInt64(milliseconds), seed: UInt64(vehicle), number: UInt64(second)), time: time,
      gatewayId: "gw-\(vehicle)", vehicleId: "VAN-\(vehicle)",
      epoch: UUIDv7(milliseconds: 1, first: 1, rest: UInt64(vehicle)), sequence: UInt64(second) + 1
    ).write(to: &line)
    line.field("rpm", 800 + second % 3_000)
    line.field("speed", second % 130)
    line.field("throttlePosition", Double(second % 100) + 0.5)
    line.field("engineLoad", second % 100)
    line.field("coolantTemp", 88)
    line.field("maf", Double(second % 60) + 0.25)
    line.field("fuelLevel", 61)
    line.field("batteryVoltage", 14.1)
    line.field("latitude", 47.6595 + Double(second % 10_000) * 1e-5)
    line.field("longitude", 9.1774 + Double(vehicle) * 1e-3)
    line.field("heading", second % 360)
    line.field("gpsSpeed", second % 130)
    line.field("fixType", "3d" as StaticString)
    line.finish()
    return line.line.indices.dropLast().map { line.line[$0] }
  }

  static func record(vehicle: Int, second: Int) -> IncomingRecord {
    do throws(RecordRefusal) {
      return try IncomingRecord(parsing: line(vehicle: vehicle, second: second).span)
    } catch {
      fatalError("\(error)")
    }
  }

  static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }

  /// Processor time of this process in seconds. It is more meaningful than elapsed time on a busy machine.
  static var work: Double {
    var usage = rusage()
    unsafe getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    return Double(seconds) + Double(usage.ru_utime.tv_usec) / 1e6 + Double(usage.ru_stime.tv_usec) / 1e6
  }

  static func parse() {
    // Batches as gateways send them, so that caches have a realistic effect.
    let lines = (0..<100).map { line(vehicle: $0 % 50, second: $0) }
    let text = Array(lines.joined(separator: [0x0A]))
    let clock = ContinuousClock()
    for _ in 0..<5 {
      let before = work
      let elapsed = clock.measure {
        for _ in 0..<2_000 {
          precondition(IncomingBatch(parsing: text.span).records.count == lines.count, "all records are right")
        }
      }
      let rate = Double(2_000 * lines.count) / seconds(elapsed)
      let ofCore = Double(2_000 * lines.count) / (work - before)
      print(
        "parse: \(Int(rate)) records/s of \(text.count / lines.count) bytes; \(Int(ofCore)) for each second of a core")
    }
  }

  static func store(_ storage: StoredFleet, millions: Int) async throws {
    let (callers, size, vehicles) = (16, 100, 50)
    let clock = ContinuousClock()
    var busy = Duration.zero
    var worked = 0.0
    // Only the storage is measured: records are created beforehand, in pieces.
    let piece = 100_000
    for number in 0..<(millions * 1_000_000 / piece) {
      let batches = (0..<(piece / size)).map { batch in
        (0..<size).map { step in
          record(
            vehicle: batch % vehicles,
            second: (number * piece / size + batch) / vehicles * size + step)
        }
      }
      let begin = clock.now
      let before = work
      try await withThrowingTaskGroup(of: Void.self) { group in
        for caller in 0..<callers {
          group.addTask {
            for batch in stride(from: caller, to: batches.count, by: callers) {
              let outcomes = try await storage.ingest(batches[batch], from: .trusted, tenant: .standard, at: now)
              precondition(outcomes.allSatisfy { $0 == .stored }, "all records are new")
            }
          }
        }
        try await group.waitForAll()
      }
      let elapsed = clock.now - begin
      busy += elapsed
      worked += work - before
      if number % 10 == 9 {
        print("  \((number + 1) * piece) records: the last at \(Int(Double(piece) / seconds(elapsed)))/s")
      }
    }
    let counts = try await storage.counts()
    print(
      "ingest: \(Int(Double(counts.ingested.stored) / seconds(busy))) records/s in batches of \(size) from \(callers) callers;",
      "\(counts.commits) commits; \(Int(Double(counts.ingested.stored) / worked)) for each second of a core here")

    let day = (0..<864).map { batch in (0..<100).map { record(vehicle: 1_000, second: batch * 100 + $0) } }
    let dayTime = try await clock.measure {
      for batch in day { _ = try await storage.ingest(batch, from: .trusted, tenant: .standard, at: now) }
    }
    print("one caller, batches of \(size): \(Int(86_400 / seconds(dayTime))) records/s")
    try await measureQueries(storage)
  }

  /// Measures queries of the records that ``store(_:millions:)`` stored.
  static func measureQueries(_ storage: StoredFleet) async throws {
    let clock = ContinuousClock()
    let query = RecordQuery.telemetry(
      of: "VAN-1000", from: first, to: Timestamp(nanoseconds: first.nanoseconds + 86_400_000_000_000), every: 172_800,
      limit: 1_000)
    for _ in 0..<5 {
      var count = 0
      let elapsed = try await clock.measure { count = try await storage.records(query, tenant: .standard).items.count }
      print("a day of 86,400 records in \(count) points: \(seconds(elapsed) * 1_000) ms")
    }
    let latest = try await clock.measure { _ = try await storage.latest(vehicle: "VAN-7", tenant: .standard) }
    print("latest: \(seconds(latest) * 1_000) ms")
  }
}
