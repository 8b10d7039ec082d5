import Dispatch
import FleetDomain
import Synchronization

/// Puts batches that come in at the same time into one transaction: each caller is answered after its commit.
///
/// A lane is a thread that has one transaction under way; while it waits for its disk, the next batches gather.
final class IngestQueue: Sendable {
  /// Records of one transaction: some 40 ms, so that live readers do not wait longer.
  static let largestGroup = 4_096

  private struct State {
    var waiting: [IngestJob] = []
    var freeLanes: [Int]
    var isClosed = false
    var idle: [CheckedContinuation<Void, Never>] = []
    var counts = StorageCounts()
  }

  private let state: Mutex<State>
  private let laneCount: Int
  private let lanes: [DispatchQueue]
  /// Takes a group in and commits it, on the lane's thread.
  private let take: @Sendable (_ lane: Int, _ group: [IngestJob]) -> Result<IngestGroup, StorageError>

  init(
    lanes: Int, _ take: @escaping @Sendable (_ lane: Int, _ group: [IngestJob]) -> Result<IngestGroup, StorageError>
  ) {
    laneCount = lanes
    self.lanes = (0..<lanes).map { DispatchQueue(label: "ingest-\($0)") }
    self.take = take
    state = Mutex(State(freeLanes: Array(0..<lanes)))
  }

  /// What was done so far; of the database's own rows nothing.
  var counts: StorageCounts {
    state.withLock { state in
      var counts = state.counts
      counts.waiting = state.waiting.reduce(0) { $0 + $1.records.count }
      return counts
    }
  }

  /// Whether a transaction is under way.
  var isBusy: Bool { state.withLock { $0.freeLanes.count < laneCount } }

  func ingest(_ job: (@escaping @Sendable (Result<[IngestOutcome], StorageError>) -> Void) -> IngestJob) async
    -> Result<[IngestOutcome], StorageError>
  {
    await withCheckedContinuation { continuation in
      let job = job { continuation.resume(returning: $0) }
      let lane: Int?? = state.withLock { state in
        guard !state.isClosed else { return .none }
        state.waiting.append(job)
        return .some(state.freeLanes.popLast())
      }
      switch lane {
      case .none: job.answer(.failure(Self.closed))
      case .some(.none): break
      case .some(.some(let lane)): lanes[lane].async { self.run(lane) }
      }
    }
  }

  /// Waits until everything that was asked has been answered; takes nothing more.
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

  /// Answers what waits for its transaction with `unavailable`, and takes nothing more.
  func interrupt() {
    let waiting = state.withLock { state in
      state.isClosed = true
      let waiting = state.waiting
      state.waiting = []
      return waiting
    }
    for job in waiting { job.answer(.failure(Self.closed)) }
  }

  private static let closed = StorageError(.unavailable, "storage", "closed")

  private func run(_ lane: Int) {
    while true {
      let (group, idle) = state.withLock { state -> ([IngestJob], [CheckedContinuation<Void, Never>]) in
        let group = Self.next(&state.waiting)
        guard group.isEmpty else { return (group, []) }
        state.freeLanes.append(lane)
        guard state.freeLanes.count == laneCount else { return ([], []) }
        let idle = state.idle
        state.idle = []
        return ([], idle)
      }
      for waiter in idle { waiter.resume() }
      guard !group.isEmpty else { return }
      answer(group, take(lane, group), lane)
    }
  }

  private func answer(_ group: [IngestJob], _ result: Result<IngestGroup, StorageError>, _ lane: Int) {
    switch result {
    case .success(let done):
      count(done)
      for (job, outcomes) in zip(group, done.outcomes) {
        let error = StorageError(.notFound, job.tenant.text, "no such tenant")
        job.answer(outcomes.map { .success($0) } ?? .failure(error))
      }
    case .failure(let error):
      // What one batch has against it must not cost the others.
      if group.count > 1, error.kind == .system {
        for job in group { answer([job], take(lane, [job]), lane) }
      } else {
        for job in group { job.answer(.failure(error)) }
      }
    }
  }

  private func count(_ group: IngestGroup) {
    state.withLock { state in
      state.counts.commits += 1
      for outcome in group.outcomes.lazy.compactMap({ $0 }).joined() {
        switch outcome {
        case .stored: state.counts.stored += 1
        case .duplicate: state.counts.duplicates += 1
        case .improved: state.counts.improved += 1
        case .refused: state.counts.refused += 1
        }
      }
    }
  }

  /// The batches of the next transaction, first come first; at least one, where any waits.
  private static func next(_ waiting: inout [IngestJob]) -> [IngestJob] {
    var records = 0
    var count = 0
    for job in waiting {
      records += job.records.count
      if count > 0, records > largestGroup { break }
      count += 1
    }
    let group = Array(waiting.prefix(count))
    waiting.removeFirst(count)
    return group
  }
}
