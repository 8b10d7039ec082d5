import FleetDomain
import Telemetry

/// Several batches that are stored in one transaction.
///
/// Call ``run(in:)``, commit the transaction, then read ``outcomes`` and ``announcements``. If the transaction is tried
/// again, create a new group.
struct IngestGroup {
  /// An additional copy of a record that occurs more than once in the group.
  private struct Copy {
    var row: Int
    var job: Int
    var record: Int
    var time: Timestamp?
    var quality: StoredQuality
  }

  let jobs: [IngestJob]
  /// For each batch, the results of its records; `nil` if the batch was not stored (see ``failures``). The result of a
  /// record is `nil` if the record was postponed: nothing was stored for it, because the group contains more accurate
  /// times (``Improvement``) than one transaction may store.
  private(set) var outcomes: [[IngestOutcome?]?]
  /// The reasons why batches were not stored, although the transaction was committed. The keys are the indices of the
  /// batches.
  private(set) var failures: [Int: StorageError] = [:]
  /// The cost of storing more accurate times for existing records (``WorkBudget``).
  var work: Int { budget.spent }
  /// The feed positions that must be announced after the commit.
  private(set) var announcements: [(tenant: TenantID, position: FeedPosition)] = []

  private var rows: [RecordRow] = []
  /// For each row, the indices of the batch and of the record from which it was made.
  private var origins: [(job: Int, record: Int)] = []
  private var indexes: [RowKey: Int] = [:]
  private var copies: [Copy] = []
  private var tenants: [TenantID: Int32] = [:]
  private let budget = WorkBudget(IngestCost.improvements)

  init(_ jobs: [IngestJob]) {
    self.jobs = jobs
    outcomes = jobs.map { Array(repeating: .duplicate, count: $0.records.count) }
    let count = jobs.reduce(0) { $0 + $1.records.count }
    rows.reserveCapacity(count)
    origins.reserveCapacity(count)
    indexes.reserveCapacity(count)
  }

  /// Stores all records. The caller must commit the transaction.
  mutating func run(in transaction: some StoreSession) throws(StoreFailure) {
    try collect(transaction)
    // Sort the rows by their keys, and adjust the indices that refer to them.
    let order = rows.indices.sorted { RowKey.isBefore(rows[$0].key, rows[$1].key) }
    var places = [Int](repeating: 0, count: order.count)
    for (place, row) in order.enumerated() { places[row] = place }
    rows = order.map { rows[$0] }
    origins = order.map { origins[$0] }
    for index in copies.indices { copies[index].row = places[copies[index].row] }

    let now = (jobs.map(\.now).max() ?? Timestamp(nanoseconds: 0)).milliseconds
    let existing = try transaction.store(rows, at: now)
    var improvements = resolveOutcomes(existing)
    var moved: [Int32: MovedBack] = [:]
    var left: Set<StaleHour> = []
    if !improvements.isEmpty {
      let inOrder = improvements.sorted { $0.key < $1.key }.map(\.value)
      let result = try transaction.improveAll(inOrder, within: budget)
      (moved, left) = (result.moved, result.left)
      postpone(result.postponed, existing, &improvements)
    }
    for (index, improvement) in improvements {
      rows[index].time = improvement.time.milliseconds
      rows[index].quality = StoredQuality(improvement.quality)
    }
    // For each row, whether it was added or got a more accurate time.
    let isChanged = rows.indices.map { existing[$0] == nil || improvements[$0] != nil }
    guard isChanged.contains(true) else { return }
    let all = rows
    let touches = VehicleTouch.all(of: all.indices.lazy.filter { isChanged[$0] }.map { all[$0] })
    try transaction.touch(touches)
    try transaction.trimECUs(of: touches)
    for touch in touches { for hour in touch.hours { left.insert(StaleHour(vehicle: touch.vehicle, hour: hour)) } }
    try transaction.markStale(left.sorted { ($0.vehicle, $0.hour) < ($1.vehicle, $1.hour) }, at: now)
    if !moved.isEmpty { try transaction.updateNewest(moved) }
    // The feed contains the rows in the order in which they arrived, which is the order of their `seq`.
    let changed = places.filter { isChanged[$0] }.map { all[$0].key }
    for (id, tenant) in tenants.sorted(by: { $0.value < $1.value }) {
      let keys = changed.filter { $0.tenant == tenant }
      guard !keys.isEmpty, let now = jobs.map(\.now).max() else { continue }
      let position = try transaction.publish(keys, tenant: tenant, named: id, at: now.milliseconds)
      announcements.append((id, position))
    }
  }

  // MARK: Rows

  private mutating func collect(_ transaction: some StoreSession) throws(StoreFailure) {
    // Adding a vehicle locks the audit of its tenant. All transactions lock the tenants in the same order, so that no
    // two wait for each other.
    for tenant in Set(jobs.map(\.tenant)).sorted(by: { $0.text < $1.text }) {
      let places = jobs.indices.filter { jobs[$0].tenant == tenant }
      guard let key = try transaction.tenant(tenant) else {
        reject(places, StorageError(.notFound, tenant.text, "no such tenant"))
        continue
      }
      if let limit = places.compactMap({ jobs[$0].tenantBytes }).min() {
        // Compare the size that was stored before this transaction with the limit. So a tenant may exceed the limit by
        // the records of one transaction.
        let bytes = try transaction.storedRecordBytes(tenant: key)
        if bytes >= limit {
          reject(places, .tenantIsFull(tenant, bytes: bytes, limit: limit))
          continue
        }
      }
      tenants[tenant] = key
      var book = VehicleResolver(tenant: key)
      try book.read(jobs.filter { $0.tenant == tenant }, transaction)
      for place in places { try collect(job: place, tenant: key, &book, transaction) }
      try book.write(transaction, at: jobs.map(\.now).max() ?? Timestamp(nanoseconds: 0))
    }
  }

  private mutating func reject(_ places: [Int], _ error: StorageError) {
    for place in places {
      outcomes[place] = nil
      failures[place] = error
    }
  }

  private mutating func collect(
    job: Int, tenant: Int32, _ book: inout VehicleResolver, _ transaction: some StoreSession
  ) throws(StoreFailure) {
    let source = jobs[job].source
    book.begin(job: job, from: source)
    for index in jobs[job].records.indices {
      let record = jobs[job].records[index]
      let reception = Reception(at: record.receivedAt ?? jobs[job].now)
      switch try book.vehicle(of: record, from: source, at: jobs[job].now, transaction) {
      case .failure(let refusal): outcomes[job]?[index] = .refused(refusal)
      case .success(let vehicle):
        let key = RowKey(
          tenant: tenant, vehicle: vehicle, recordClass: record.kind.recordClass.number, idHigh: record.id.high,
          idLow: record.id.low)
        let (time, quality) = reception.place(record.time, record.quality)
        if let row = indexes[key] {
          copies.append(Copy(row: row, job: job, record: index, time: record.time, quality: quality))
        } else {
          indexes[key] = rows.count
          rows.append(
            RecordRow(
              key: key, time: time, sequence: Int64(clamping: record.sequence), quality: quality,
              received: reception.time, hasPosition: record.kind == .known(.telemetry) && record.hasPosition,
              ecu: record.ecu, body: record.body))
          origins.append((job, index))
        }
      }
    }
  }

  // MARK: Outcomes

  /// Determines the results of the records whose vehicles were found.
  ///
  /// - Parameter existing: the time qualities of the rows that the database already contained. The keys are the indices
  ///   of the rows.
  /// - Returns: the more accurate times for existing rows. The keys are the indices of the rows.
  private mutating func resolveOutcomes(_ existing: [Int: StoredQuality]) -> [Int: Improvement] {
    var improvements: [Int: Improvement] = [:]
    for index in rows.indices {
      let (job, record) = origins[index]
      guard let quality = existing[index] else {
        outcomes[job]?[record] = .stored
        continue
      }
      let own = jobs[job].records[record]
      if let time = own.time, rows[index].quality.isBetter(than: quality) {
        outcomes[job]?[record] = .improved
        improvements[index] = Improvement(key: rows[index].key, time: time, quality: own.quality)
      }
    }
    for copy in copies {
      let quality =
        improvements[copy.row].map { StoredQuality($0.quality) } ?? existing[copy.row] ?? rows[copy.row].quality
      guard let time = copy.time, copy.quality.isBetter(than: quality) else { continue }
      outcomes[copy.job]?[copy.record] = .improved
      improvements[copy.row] = Improvement(key: rows[copy.row].key, time: time, quality: copy.quality.timeQuality)
    }
    return improvements
  }

  /// Postpones records whose more accurate times did not fit into the transaction: sets their results to `nil`, so that
  /// the caller stores them in a later transaction. Also postpones all copies of these records, because the copies must
  /// be processed in order.
  private mutating func postpone(
    _ keys: [RowKey], _ existing: [Int: StoredQuality], _ improvements: inout [Int: Improvement]
  ) {
    if keys.isEmpty { return }
    let postponed = Set(keys)
    for copy in copies where postponed.contains(rows[copy.row].key) { outcomes[copy.job]?[copy.record] = nil }
    for index in rows.indices where postponed.contains(rows[index].key) {
      improvements[index] = nil
      // If the row was new, the record was stored, so the result of its first copy remains.
      if existing[index] != nil { outcomes[origins[index].job]?[origins[index].record] = nil }
    }
  }
}
