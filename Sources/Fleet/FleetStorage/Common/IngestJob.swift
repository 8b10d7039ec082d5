import FleetDomain
import Telemetry

/// A batch of records. It is stored in one or more transactions, between which other batches are stored.
struct IngestJob: Sendable {
  let source: IngestSource
  let tenant: TenantID
  let now: Timestamp
  /// The size of the tenant's stored records at which nothing more is stored, bytes; `nil` if there is no limit.
  let tenantBytes: Int64?
  let answer: @Sendable (Result<[IngestOutcome], StorageError>) -> Void

  /// The records of the batch that the next transaction stores.
  private(set) var records: [IncomingRecord] = []
  /// The cost of ``records`` (``IngestCost``): at most ``IngestQueue/largestGroup``, unless there is only one record.
  private(set) var cost = 0
  /// Whether the last transaction postponed more accurate times (``Improvement``) for records of this batch. If `true`,
  /// the next transaction stores only this batch, so that other batches cannot cause another postponement.
  private(set) var wasPostponed = false

  private let batch: [IncomingRecord]
  /// The indices of ``records`` within the batch.
  private var places: ArraySlice<Int> = []
  /// The indices of the records that later transactions store.
  private var later: ArraySlice<Int>
  private var outcomes: [IngestOutcome]
  /// Cost of one record, estimated from the last transaction, as a multiple of the cost of a new record.
  private var factor = 1

  init(
    records: [IncomingRecord], source: IngestSource, tenant: TenantID, now: Timestamp, tenantBytes: Int64? = nil,
    answer: @escaping @Sendable (Result<[IngestOutcome], StorageError>) -> Void
  ) {
    self.source = source
    self.tenant = tenant
    self.now = now
    self.tenantBytes = tenantBytes
    self.answer = answer
    batch = records
    later = Array(records.indices)[...]
    outcomes = Array(repeating: .duplicate, count: records.count)
    chooseRecords()
  }

  /// The number of records that are not stored yet.
  var remaining: Int { places.count + later.count }

  /// Adds the results of a transaction to the job, and chooses the records for the next transaction.
  ///
  /// - Parameters:
  ///   - results: the results of ``records``; `nil` for a record that was postponed.
  ///   - work: the cost of storing more accurate times in that transaction (``WorkBudget``).
  /// - Returns: the results of all records if the whole batch is stored, otherwise `nil`.
  mutating func finishTransaction(_ results: [IngestOutcome?], work: Int) -> [IngestOutcome]? {
    var postponed: [Int] = []
    for (place, result) in zip(places, results) {
      if let result { outcomes[place] = result } else { postponed.append(place) }
    }
    wasPostponed = !postponed.isEmpty
    factor = max(work / max(places.count - postponed.count, 1), 1)
    if wasPostponed { later = postponed + later }
    chooseRecords()
    return places.isEmpty ? outcomes : nil
  }

  /// Answers the batch after one of its transactions failed. If earlier transactions have stored records of the batch,
  /// the error states their number.
  func fail(_ error: StorageError) {
    let stored = outcomes.count { if case .stored = $0 { true } else { false } }
    guard stored > 0 else { return answer(.failure(error)) }
    let part = "\(stored) of the \(batch.count) records of the batch were stored before this"
    answer(.failure(StorageError(error.kind, error.place, "\(error.detail); \(part)")))
  }

  private mutating func chooseRecords() {
    let limit = factor > 1 ? IngestCost.improvements : IngestQueue.largestGroup
    var count = 0
    var previous: IncomingRecord?
    cost = 0
    for place in later {
      let own = IngestCost.cost(of: batch[place], after: previous) + factor - 1
      // As with ``WorkBudget``, the last of the more accurate times may exceed the limit.
      if count > 0, factor > 1 ? cost >= limit : cost + own > limit { break }
      previous = batch[place]
      cost += own
      count += 1
    }
    places = later.prefix(count)
    later = later.dropFirst(count)
    records = count == batch.count ? batch : places.map { batch[$0] }
  }
}

/// Estimated costs of operations of the storage. The unit is the cost of storing a new record of usual length, about 10
/// µs.
enum IngestCost {
  /// The maximum cost of storing more accurate times (``Improvement``) in one transaction.
  static let improvements = 2_048
  /// The cost of determining again which record of a class is a vehicle's newest one.
  static let newest = 1_024
  /// The cost of storing a more accurate time for one record, without the cost that depends on the length of its body.
  static let improvement = 4
  /// The cost of removing records from a run, without the cost that depends on the length of their bodies.
  static let run = 2

  static func cost(of record: IncomingRecord, after previous: IncomingRecord?) -> Int {
    let isOfAnother = previous.map { $0.vehicleId != record.vehicleId } ?? false
    return 1 + bytes(record.body.count) + (isOfAnother ? 1 : 0)
  }

  static func bytes(_ count: Int) -> Int { count / 2_048 }
}

/// A limit on the cost of storing more accurate times (``Improvement``) in one transaction. When it is reached, the
/// remaining ones are postponed to the next transaction.
///
///     while !budget.isSpent { … budget.charge(cost) }
final class WorkBudget {
  private(set) var spent = 0
  private let limit: Int

  /// Creates a budget.
  ///
  /// - Parameter limit: maximum cost, in the unit of ``IngestCost``.
  init(_ limit: Int) { self.limit = limit }

  /// Whether the limit is reached. The last charge may have exceeded the limit.
  var isSpent: Bool { spent >= limit }

  func charge(_ cost: Int) { spent += cost }
}
