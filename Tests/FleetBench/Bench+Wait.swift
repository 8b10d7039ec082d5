import FleetDomain
import FleetStorage
import Synchronization
import Telemetry

/// Kinds of batches that cost the storage much more time than other batches with the same number of records.
enum CostlyBatches: String, CaseIterable {
  /// Better times of records, each in another run.
  case corrections
  /// Better times of records, each in another run. The runs have two records of 16 KB.
  case largeCorrections
  /// Better times of records that are stored as rows.
  case rowCorrections
  /// Better times for the newest record of each ECU. The new times are earlier.
  case newest
  /// Records of the maximum length.
  case large
  /// Records that each belong to another vehicle.
  case vehicles
  /// Records that are stored already, each in another run.
  case duplicates

  /// Records that must be stored before the first batch.
  var preparation: [[IncomingRecord]] {
    switch self {
    case .corrections, .duplicates:
      (0..<Self.vehicleCount).map { vehicle in
        (0..<(Self.count / Self.vehicleCount * 16)).map { Self.record(vehicle, $0, .system) }
      }
    case .largeCorrections:
      (0..<(2_000 / 10)).map { part in
        (0..<20).map { Self.record(part % 100, part / 100 * 20 + $0, .system, length: 16_000) }
      }
    case .rowCorrections: [(0..<Self.count).map { Self.record(0, $0, .system, "trip") }]
    case .newest:
      [
        (0..<Self.ecus).map { Self.record(0, $0, .system, "dtc", ecu: $0 + 1, at: 1_000_000) },
        (0..<10_000).map { Self.record(0, 1_000 + $0, .system, "dtc") },
      ]
    case .large: []
    case .vehicles: (0..<5).map { part in (0..<1_000).map { Self.record(part * 1_000 + $0, 0, .system) } }
    }
  }

  /// Returns the batch of a round; `nil` after the last one.
  func batch(_ round: Int) -> [IncomingRecord]? {
    switch self {
    case .corrections:
      round < 32 ? Self.each(16, round % 16, round < 16 ? .ntp : .gps) : nil
    case .duplicates: round < 16 ? Self.each(16, round % 16, .system) : nil
    case .largeCorrections:
      round < 4
        ? (0..<100).flatMap { vehicle in
          (0..<20).map { Self.record(vehicle, $0 * 2 + round % 2, round < 2 ? .ntp : .gps, length: 16_000) }
        } : nil
    case .rowCorrections:
      round < 2 ? (0..<Self.count).map { Self.record(0, $0, round == 0 ? .ntp : .gps, "trip") } : nil
    case .newest:
      round < 2
        ? (0..<Self.ecus).map { Self.record(0, $0, round == 0 ? .ntp : .gps, "dtc", ecu: $0 + 1, at: 100 - round) }
        : nil
    case .large: round < 5 ? (0..<2_000).map { Self.record(0, round * 2_000 + $0, .gps, length: 16_000) } : nil
    case .vehicles: round < 5 ? (0..<5_000).map { Self.record($0, 1 + round, .gps) } : nil
    }
  }

  private static let (vehicleCount, count, ecus) = (100, 10_000, 64)

  private static func each(_ length: Int, _ place: Int, _ quality: TimeQuality) -> [IncomingRecord] {
    (0..<vehicleCount).flatMap { vehicle in
      (0..<(count / vehicleCount)).map { record(vehicle, $0 * length + place, quality) }
    }
  }

  private static func record(
    _ vehicle: Int, _ second: Int, _ quality: TimeQuality, _ type: String = "telemetry", ecu: Int? = nil,
    length: Int = 0, at time: Int? = nil
  ) -> IncomingRecord {
    let id = UUIDv7(
      milliseconds: UInt64(Bench.start) + UInt64(second) * 1_000, seed: UInt64(vehicle), number: UInt64(second))
    let text = id.text
    let date = Timestamp(nanoseconds: (Bench.start + Int64(time ?? second) * 1_000) * 1_000_000).text
    var line = #"{"type":"\#(type)","id":"\#(String(decoding: (0..<36).map { text[$0] }, as: UTF8.self))","#
    line += #""timestamp":"\#(String(decoding: (0..<24).map { date[$0] }, as: UTF8.self))","#
    line += #""timeQuality":"\#(quality.text)","gatewayId":"gw","vehicleId":"CAR-\#(vehicle)","#
    line += #""epoch":"00000000-0001-7000-8000-000000000000","seq":\#(second + 1),"rpm":\#(second)"#
    if let ecu { line += #","ecu":"\#(ecu)""# }
    if length > 0 {
      var generator = SystemRandomNumberGenerator()
      line +=
        ",\"note\":\"\(String((0..<(length / 16)).map { _ in String(generator.next() | 1 << 63, radix: 16) }.joined().prefix(length - line.utf8.count - 20)))\""
    }
    line += "}"
    do throws(RecordRefusal) {
      return try IncomingRecord(parsing: Array(line.utf8).span)
    } catch {
      fatalError("\(error): \(line.prefix(500))")
    }
  }
}

extension Bench {
  /// Measures the time of one tenant's batches while another tenant sends expensive batches.
  static func wait(_ storage: StoredFleet, _ kinds: [CostlyBatches]) async throws {
    for kind in kinds {
      let (attacker, victim) = (TenantID("attacker-\(kind)".lowercased())!, TenantID("victim-\(kind)".lowercased())!)
      for tenant in [attacker, victim] { try await storage.addTenant(tenant, at: now) }
      for batch in kind.preparation { _ = try await storage.ingest(batch, from: .trusted, tenant: attacker, at: now) }
      let batches = (0...).lazy.map { kind.batch($0) }.prefix { $0 != nil }.compactMap(\.self)
      let isOver = Atomic(false)
      async let latencies = latencies(of: storage, victim, isOver: { isOver.load(ordering: .acquiring) })
      let clock = ContinuousClock()
      var outcomes: [String: Int] = [:]
      let elapsed = try await clock.measure {
        for batch in batches {
          for outcome in try await storage.ingest(batch, from: .trusted, tenant: attacker, at: now) {
            let name = if case .refused = outcome { "refused" } else { "\(outcome)" }
            outcomes[name, default: 0] += 1
          }
        }
      }
      isOver.store(true, ordering: .releasing)
      printTimes("\(kind) \(outcomes.sorted { $0.key < $1.key }) in \(seconds(elapsed)) s", try await latencies)
    }
  }

  private static func latencies(
    of storage: StoredFleet, _ tenant: TenantID, isOver: () -> Bool
  ) async throws -> [Duration] {
    let clock = ContinuousClock()
    var times: [Duration] = []
    while !isOver() {
      let batch = (0..<100).map { record(vehicle: 2, second: times.count * 100 + $0) }
      times.append(
        try await clock.measure { _ = try await storage.ingest(batch, from: .trusted, tenant: tenant, at: now) })
    }
    return times.sorted()
  }
}
