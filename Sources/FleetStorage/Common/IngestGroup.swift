import FleetDomain
import Telemetry

/// One batch that waits to be taken in.
struct IngestJob: Sendable {
  var records: [IncomingRecord]
  var source: IngestSource
  var tenant: TenantID
  var now: Timestamp
  var answer: @Sendable (Result<[IngestOutcome], StorageError>) -> Void
}

/// Several batches in one transaction: which rows they make, and what became of each record.
///
/// Call order: ``run(in:)``, then the commit, then ``outcomes`` and ``announcements``. One group for each try.
struct IngestGroup {
  /// A record that the group has already.
  private struct Copy {
    var row: Int
    var job: Int
    var record: Int
    var time: Timestamp?
    var quality: TimeQuality
  }

  let jobs: [IngestJob]
  /// What became of each job's records; nil where its tenant does not exist.
  private(set) var outcomes: [[IngestOutcome]?]
  /// Feed positions to announce after the commit.
  private(set) var announcements: [(tenant: TenantID, position: FeedPosition)] = []

  private var rows: [RecordRow] = []
  /// Which record of which job a row was made of.
  private var origins: [(job: Int, record: Int)] = []
  private var indexes: [RowKey: Int] = [:]
  private var copies: [Copy] = []
  private var tenants: [TenantID: Int32] = [:]

  init(_ jobs: [IngestJob]) {
    self.jobs = jobs
    outcomes = jobs.map { Array(repeating: .duplicate, count: $0.records.count) }
    let count = jobs.reduce(0) { $0 + $1.records.count }
    rows.reserveCapacity(count)
    origins.reserveCapacity(count)
    indexes.reserveCapacity(count)
  }

  /// Takes all records in; the caller commits.
  mutating func run(in transaction: some StoreSession) throws(StoreFailure) {
    try collect(transaction)
    // Rows in the order of their keys; what points at them goes with them.
    let order = rows.indices.sorted { RowKey.isBefore(rows[$0].key, rows[$1].key) }
    var places = [Int](repeating: 0, count: order.count)
    for (place, row) in order.enumerated() { places[row] = place }
    rows = order.map { rows[$0] }
    origins = order.map { origins[$0] }
    for index in copies.indices { copies[index].row = places[copies[index].row] }

    let existing = try transaction.insert(rows)
    let improvements = settle(existing)
    let moved = improvements.isEmpty ? [:] : try transaction.improve(improvements.values.map { $0 })
    // What was stored or improved, as it is now.
    var changed = rows.indices.filter { existing[$0] == nil || improvements[$0] != nil }.map { rows[$0] }
    for index in changed.indices {
      if let improvement = indexes[changed[index].key].flatMap({ improvements[places[$0]] }) {
        changed[index].time = improvement.time.milliseconds
      }
    }
    guard !changed.isEmpty else { return }
    try transaction.touch(Self.touches(of: changed))
    if !moved.isEmpty { try transaction.settle(moved) }
    for (id, tenant) in tenants.sorted(by: { $0.value < $1.value }) {
      let keys = changed.lazy.map(\.key).filter { $0.tenant == tenant }
      guard !keys.isEmpty, let now = jobs.map(\.now).max() else { continue }
      let position = try transaction.publish(Array(keys), tenant: tenant, named: id, at: now.milliseconds)
      announcements.append((id, position))
    }
  }

  // MARK: Rows

  private mutating func collect(_ transaction: some StoreSession) throws(StoreFailure) {
    for tenant in Set(jobs.map(\.tenant)) {
      let places = jobs.indices.filter { jobs[$0].tenant == tenant }
      guard let key = try transaction.tenant(tenant) else {
        for place in places { outcomes[place] = nil }
        continue
      }
      tenants[tenant] = key
      var book = VehicleBook(tenant: key)
      try book.read(jobs.filter { $0.tenant == tenant }, transaction)
      for place in places { try collect(job: place, tenant: key, &book, transaction) }
      try book.write(transaction)
    }
  }

  private mutating func collect(
    job: Int, tenant: Int32, _ book: inout VehicleBook, _ transaction: some StoreSession
  ) throws(StoreFailure) {
    let source = jobs[job].source
    for index in jobs[job].records.indices {
      let record = jobs[job].records[index]
      switch try book.vehicle(of: record, from: source, at: jobs[job].now, transaction) {
      case .failure(let refusal): outcomes[job]?[index] = .refused(refusal)
      case .success(let vehicle):
        let key = RowKey(
          tenant: tenant, vehicle: vehicle, recordClass: record.kind.recordClass.number, idHigh: record.id.high,
          idLow: record.id.low)
        if let row = indexes[key] {
          copies.append(Copy(row: row, job: job, record: index, time: record.time, quality: record.quality))
        } else {
          indexes[key] = rows.count
          rows.append(
            RecordRow(
              key: key, time: StoredTime.column(record.time), quality: record.quality,
              hasPosition: record.kind == .known(.telemetry) && record.hasPosition, body: record.body))
          origins.append((job, index))
        }
      }
    }
  }

  // MARK: Outcomes

  /// Says of every record what became of it.
  ///
  /// - Parameter existing: quality of rows that were there before.
  /// - Returns: the better times that rows are to be given, by their index.
  private mutating func settle(_ existing: [Int: TimeQuality]) -> [Int: Improvement] {
    var improvements: [Int: Improvement] = [:]
    for index in rows.indices {
      let (job, record) = origins[index]
      guard let quality = existing[index] else {
        outcomes[job]?[record] = .stored
        continue
      }
      let own = jobs[job].records[record]
      if let time = own.time, own.quality.isBetter(than: quality) {
        outcomes[job]?[record] = .improved
        improvements[index] = Improvement(key: rows[index].key, time: time, quality: own.quality)
      }
    }
    for copy in copies {
      let quality = improvements[copy.row]?.quality ?? existing[copy.row] ?? rows[copy.row].quality
      guard let time = copy.time, copy.quality.isBetter(than: quality) else { continue }
      outcomes[copy.job]?[copy.record] = .improved
      improvements[copy.row] = Improvement(key: rows[copy.row].key, time: time, quality: copy.quality)
    }
    return improvements
  }

  private static func touches(of rows: [RecordRow]) -> [VehicleTouch] {
    var touches: [VehicleTouch] = []
    // Rows are in the order of their vehicles.
    for row in rows {
      if touches.last?.vehicle != row.key.vehicle {
        touches.append(VehicleTouch(vehicle: row.key.vehicle, time: StoredTime.undated))
      }
      let last = touches.count - 1
      touches[last].time = max(touches[last].time, row.time)
      if row.hasPosition, row.time != StoredTime.undated, row.time >= touches[last].position?.time ?? .min {
        touches[last].position = (row.time, row.key.idHigh, row.key.idLow)
      }
    }
    return touches
  }
}
