import Dispatch
import FleetDomain
import Synchronization

/// Stores batches that arrive at about the same time in one transaction. Each caller is answered when all records of
/// its batch are committed. Waiting batches are chosen in rotation by tenant, then by gateway. A batch that costs more
/// than one transaction may cost is stored in several transactions; between them, it waits in the queue again.
///
/// A lane is a thread that executes one transaction at a time. While it waits for the disk, further batches arrive for
/// the next transaction.
final class IngestQueue: Sendable {
  /// The maximum cost of a transaction (``IngestCost``): the cost of 4,096 records of usual length, which takes about
  /// 40 ms. This maximum limits the time for which other tenants and live readers wait.
  static let largestGroup = 4_096

  private struct State {
    var waiting = FairQueue<TenantID, String, IngestJob> { $0.cost }
    /// The number of waiting records.
    var waitingRecords = 0
    var freeLanes: [Int]
    var isClosed = false
    var isInterrupted = false
    var idle: [CheckedContinuation<Void, Never>] = []
    var counts = StorageCounts()
    var failure: Failure?

    mutating func add(_ job: IngestJob) {
      waiting.add(job, group: job.tenant, member: job.source.name)
      waitingRecords += job.remaining
    }
  }

  /// The error of a transaction, and the time at which it occurred.
  struct Failure {
    let error: StorageError
    let at: ContinuousClock.Instant
  }

  private let state: Mutex<State>
  private let laneCount: Int
  private let lanes: [DispatchQueue]
  /// Stores and commits a group of batches. It is called on the thread of the given lane.
  private let store: @Sendable (_ lane: Int, _ group: [IngestJob]) -> Result<IngestGroup, StorageError>

  init(
    lanes: Int, _ store: @escaping @Sendable (_ lane: Int, _ group: [IngestJob]) -> Result<IngestGroup, StorageError>
  ) {
    laneCount = lanes
    self.lanes = (0..<lanes).map { DispatchQueue(label: "ingest-\($0)") }
    self.store = store
    state = Mutex(State(freeLanes: Array(0..<lanes)))
  }

  /// The counters since the queue was created, without the sizes of the database.
  var counts: StorageCounts {
    state.withLock { state in
      var counts = state.counts
      counts.waiting = state.waitingRecords
      return counts
    }
  }

  /// The error of the last transaction, if the database itself failed; `nil` after a commit.
  var failure: Failure? { state.withLock { $0.failure } }

  /// Whether a transaction is in progress.
  var isBusy: Bool { state.withLock { $0.freeLanes.count < laneCount } }

  func ingest(_ job: (@escaping @Sendable (Result<[IngestOutcome], StorageError>) -> Void) -> IngestJob) async
    -> Result<[IngestOutcome], StorageError>
  {
    await withCheckedContinuation { continuation in
      let job = job { continuation.resume(returning: $0) }
      let lane: Int?? = state.withLock { state in
        guard !state.isClosed else { return .none }
        state.add(job)
        return .some(state.freeLanes.popLast())
      }
      switch lane {
      case .none: job.answer(.failure(Self.closed))
      case .some(.none): break
      case .some(.some(let lane)): lanes[lane].async { self.run(lane) }
      }
    }
  }

  /// Rejects new batches, and waits until all earlier batches are answered.
  func close() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        state.isClosed = true
        guard state.freeLanes.count < laneCount || !state.waiting.isEmpty else { return true }
        state.idle.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Rejects new batches, and answers all waiting ones with `unavailable`.
  func interrupt() {
    let waiting = state.withLock { state in
      state.isClosed = true
      state.isInterrupted = true
      state.waitingRecords = 0
      return state.waiting.removeAll()
    }
    for job in waiting { job.fail(Self.closed) }
  }

  private static let closed = StorageError(.unavailable, "storage", "closed")

  private func run(_ lane: Int) {
    while true {
      let (group, idle) = state.withLock { state -> ([IngestJob], [CheckedContinuation<Void, Never>]) in
        let group = Self.next(&state.waiting)
        state.waitingRecords -= group.reduce(0) { $0 + $1.remaining }
        guard group.isEmpty else { return (group, []) }
        state.freeLanes.append(lane)
        guard state.freeLanes.count == laneCount else { return ([], []) }
        let idle = state.idle
        state.idle = []
        return ([], idle)
      }
      for waiter in idle { waiter.resume() }
      guard !group.isEmpty else { return }
      answer(group, store(lane, group), lane)
    }
  }

  private func answer(_ group: [IngestJob], _ result: Result<IngestGroup, StorageError>, _ lane: Int) {
    switch result {
    case .success(let done):
      count(done)
      for (index, (job, outcomes)) in zip(group, done.outcomes).enumerated() {
        if let outcomes {
          finishTransaction(of: job, outcomes, work: done.work)
        } else {
          job.fail(done.failures[index] ?? StorageError(.system, "batch", "has no result"))
        }
      }
    case .failure(let error):
      // One of the batches may be the cause of the error. Store each batch in its own transaction, so that the other
      // batches do not fail because of it.
      if group.count > 1, error.kind == .system {
        for job in group { answer([job], store(lane, [job]), lane) }
      } else {
        switch error.kind {
        case .unavailable, .full, .readOnly, .damaged:
          state.withLock { $0.failure = Failure(error: error, at: .now) }
        // The error is about this batch and does not show that the database has failed.
        default: break
        }
        for job in group { job.fail(error) }
      }
    }
  }

  /// Answers a batch if all its records are stored. If not, the batch waits for another transaction.
  private func finishTransaction(of job: IngestJob, _ results: [IngestOutcome?], work: Int) {
    var job = job
    if let outcomes = job.finishTransaction(results, work: work) { return job.answer(.success(outcomes)) }
    let isWaiting = state.withLock { [job] state in
      if !state.isInterrupted { state.add(job) }
      return !state.isInterrupted
    }
    if !isWaiting { job.fail(Self.closed) }
  }

  private func count(_ group: IngestGroup) {
    state.withLock { state in
      state.failure = nil
      state.counts.commits += 1
      state.counts.ingested += IngestCounts(group.outcomes.lazy.compactMap({ $0 }).joined().compactMap({ $0 }))
    }
  }

  /// Removes from the queue and returns the batches for the next transaction: at least one, unless the queue is empty.
  private static func next(_ waiting: inout FairQueue<TenantID, String, IngestJob>) -> [IngestJob] {
    var group: [IngestJob] = []
    var cost = 0
    while let job = waiting.next(if: {
      group.isEmpty || (!group[0].wasPostponed && !$0.wasPostponed && cost + $0.cost <= largestGroup)
    }) {
      group.append(job)
      cost += job.cost
    }
    return group
  }
}

extension IngestSource {
  /// The name of a source in the queue. Batches with the same tenant and name are stored in their order.
  fileprivate var name: String {
    switch self {
    case .gateway(let gateway): gateway.id
    case .trusted, .broker: ""
    }
  }
}
