import FleetDomain
import Telemetry

/// A batch that is stored in one transaction, or in several between which other batches have their turn.
struct IngestJob: Sendable {
  let source: IngestSource
  let tenant: TenantID
  let now: Timestamp
  let answer: @Sendable (Result<[IngestOutcome], StorageError>) -> Void

  /// The records of the next transaction.
  private(set) var records: [IncomingRecord] = []
  /// Their cost (``IngestCost``): at most ``IngestQueue/largestGroup``, unless there is only one.
  private(set) var cost = 0
  /// Whether the last transaction has postponed better times of this batch. The next one is for this batch alone, so
  /// that it is not postponed again because of another batch.
  private(set) var wasPostponed = false

  private let batch: [IncomingRecord]
  /// Indices of ``records`` in the batch.
  private var places: ArraySlice<Int> = []
  /// Indices in the batch of the records for later transactions.
  private var later: ArraySlice<Int>
  private var outcomes: [IngestOutcome]
  /// The cost of a record relative to a new one, estimated from the last transaction.
  private var factor = 1

  init(
    records: [IncomingRecord], source: IngestSource, tenant: TenantID, now: Timestamp,
    answer: @escaping @Sendable (Result<[IngestOutcome], StorageError>) -> Void
  ) {
    self.source = source
    self.tenant = tenant
    self.now = now
    self.answer = answer
    batch = records
    later = Array(records.indices)[...]
    outcomes = Array(repeating: .duplicate, count: records.count)
    takeTurn()
  }

  /// The number of records that are not stored yet.
  var remaining: Int { places.count + later.count }

  /// Takes in the results of a transaction, and prepares the next one.
  ///
  /// - Parameters:
  ///   - results: of ``records``; `nil`: postponed.
  ///   - work: the cost of better times in that transaction (``WorkBudget``).
  /// - Returns: the results of all records if the batch is done, otherwise `nil`.
  mutating func finishTurn(_ results: [IngestOutcome?], work: Int) -> [IngestOutcome]? {
    var postponed: [Int] = []
    for (place, result) in zip(places, results) {
      if let result { outcomes[place] = result } else { postponed.append(place) }
    }
    wasPostponed = !postponed.isEmpty
    factor = max(work / max(places.count - postponed.count, 1), 1)
    if wasPostponed { later = postponed + later }
    takeTurn()
    return places.isEmpty ? outcomes : nil
  }

  private mutating func takeTurn() {
    let limit = factor > 1 ? IngestCost.improvements : IngestQueue.largestGroup
    var count = 0
    var previous: IncomingRecord?
    cost = 0
    for place in later {
      let own = IngestCost.cost(of: batch[place], after: previous) + factor - 1
      // As with the budget, the last better time may exceed the limit.
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

/// Estimates of the storage's work, in units of which a new record of usual length costs one: about 10 µs.
enum IngestCost {
  /// The maximum cost of better times in one transaction.
  static let improvements = 2_048
  /// To find the newest record of a class again.
  static let newest = 1_024
  /// A better time of one record, without its bytes.
  static let improvement = 4
  /// A run that a record leaves, without its bytes.
  static let run = 2

  static func cost(of record: IncomingRecord, after previous: IncomingRecord?) -> Int {
    let isOfAnother = previous.map { $0.vehicleId != record.vehicleId } ?? false
    return 1 + bytes(record.body.count) + (isOfAnother ? 1 : 0)
  }

  static func bytes(_ count: Int) -> Int { count / 2_048 }
}

/// The work that one transaction may still do for better times: what does not fit is postponed to the next one.
///
///     while !budget.isSpent { … budget.charge(cost) }
final class WorkBudget {
  private(set) var spent = 0
  private let limit: Int

  /// - Parameter limit: see ``IngestCost``.
  init(_ limit: Int) { self.limit = limit }

  /// The last work may exceed the limit.
  var isSpent: Bool { spent >= limit }

  func charge(_ cost: Int) { spent += cost }
}
