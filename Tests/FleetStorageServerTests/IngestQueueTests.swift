import Dispatch
import FleetDomain
import Synchronization
import Telemetry
import Testing

@testable import FleetStorage

@Suite struct IngestQueueTests {
  private static func job(
    _ number: Int, _ answer: @escaping @Sendable (Result<[IngestOutcome], StorageError>) -> Void
  ) -> IngestJob {
    IngestJob(
      records: [Sample.record(number)], source: .trusted, tenant: .standard, now: Sample.now, answer: answer)
  }

  @Test func batches_that_wait_at_the_same_time_share_a_transaction() async throws {
    let groups = Mutex<[[UInt64]]>([])
    let (began, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let queue = IngestQueue(lanes: 1) { _, jobs in
      let isFirst = groups.withLock { groups in
        groups.append(jobs.flatMap { $0.records.map(\.sequence) })
        return groups.count == 1
      }
      if isFirst {
        began.signal()
        release.wait()
      }
      return .success(IngestGroup(jobs))
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { _ = await queue.ingest { Self.job(0, $0) } }
      // The first group is in progress; the others wait.
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          began.wait()
          continuation.resume()
        }
      }
      for number in 1...20 { group.addTask { _ = await queue.ingest { Self.job(number, $0) } } }
      while queue.counts.waiting < 20 { await Task.yield() }
      release.signal()
    }
    #expect(groups.withLock { $0.map(\.count) } == [1, 20])
    #expect(Set(groups.withLock { $0[1] }) == Set(2...21))
    #expect(queue.counts.commits == 2)
  }

  @Test func batches_of_one_tenant_or_gateway_do_not_hold_up_another() async throws {
    let order = Mutex<[String]>([])
    let (began, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let queue = IngestQueue(lanes: 1) { _, jobs in
      let isFirst = order.withLock { order in
        order += jobs.map { "\($0.tenant) \($0.records.count)" }
        return order.count == 1
      }
      if isFirst {
        began.signal()
        release.wait()
      }
      return .success(IngestGroup(jobs))
    }
    @Sendable func send(_ count: Int, _ tenant: TenantID) async {
      _ = await queue.ingest { answer in
        IngestJob(
          records: Array(repeating: Sample.record(1), count: count), source: .trusted, tenant: tenant, now: Sample.now,
          answer: answer)
      }
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await send(1, .standard) }
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          began.wait()
          continuation.resume()
        }
      }
      for _ in 0..<20 { group.addTask { await send(IngestQueue.largestGroup, .standard) } }
      while queue.counts.waiting < 20 * IngestQueue.largestGroup { await Task.yield() }
      group.addTask { await send(7, TenantID("other")!) }
      while queue.counts.waiting < 20 * IngestQueue.largestGroup + 7 { await Task.yield() }
      release.signal()
    }
    // The batch waits only for the work in progress and at most one batch of the other tenant.
    #expect(order.withLock { $0.firstIndex(of: "other 7") } ?? .max <= 2)
  }

  @Test func a_batch_of_long_records_takes_several_turns_and_others_go_in_between() async throws {
    let order = Mutex<[String]>([])
    let (began, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let queue = IngestQueue(lanes: 1) { _, jobs in
      let isFirst = order.withLock { order in
        order += jobs.map { "\($0.tenant) \($0.records.count)" }
        return order.count == 1
      }
      if isFirst {
        began.signal()
        release.wait()
      }
      return .success(IngestGroup(jobs))
    }
    let long = Sample.record(1, keys: ",\"note\":\"\(String(repeating: "x", count: 16_000))\"")
    let count = IngestQueue.largestGroup / IngestCost.cost(of: long, after: nil)
    @Sendable func send(_ records: [IncomingRecord], _ tenant: TenantID) async -> Int {
      let result = await queue.ingest { answer in
        IngestJob(records: records, source: .trusted, tenant: tenant, now: Sample.now, answer: answer)
      }
      return (try? result.get().count) ?? 0
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { #expect(await send(Array(repeating: long, count: 3 * count + 1), .standard) == 3 * count + 1) }
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          began.wait()
          continuation.resume()
        }
      }
      group.addTask { #expect(await send([Sample.record(2)], TenantID("other")!) == 1) }
      while queue.counts.waiting < 1 { await Task.yield() }
      release.signal()
    }
    #expect(
      order.withLock { $0 } == ["default \(count)", "other 1", "default \(count)", "default \(count)", "default 1"])
    #expect(queue.counts.waiting == 0)
  }

  @Test func postponed_records_come_next_and_alone() {
    let records = (0..<10).map { Sample.record($0) }
    var job = IngestJob(records: records, source: .trusted, tenant: .standard, now: Sample.now) { _ in }
    #expect(job.records == records && job.cost == 10 && !job.wasPostponed)
    let first: [IngestOutcome?] = [.stored, nil, .improved, nil, nil, nil, nil, nil, nil, nil]
    // Each better time has used a quarter of a transaction's limit.
    #expect(job.finishTransaction(first, work: IngestCost.improvements / 2) == nil)
    #expect(job.wasPostponed && job.remaining == 8)
    #expect(job.records.map(\.sequence) == [2, 4, 5, 6])
    #expect(job.finishTransaction([.improved, .duplicate, .improved, .duplicate], work: 0) == nil)
    #expect(!job.wasPostponed)
    #expect(job.records.map(\.sequence) == [7, 8, 9, 10])
    let all: [IngestOutcome] =
      [.stored, .improved, .improved, .duplicate, .improved, .duplicate] + Array(repeating: .duplicate, count: 4)
    #expect(job.finishTransaction(Array(repeating: .duplicate, count: 4), work: 0) == all)
  }

  @Test func an_interrupted_queue_answers_a_batch_between_its_turns() async throws {
    let (began, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let queue = IngestQueue(lanes: 1) { _, jobs in
      began.signal()
      release.wait()
      return .success(IngestGroup(jobs))
    }
    async let answer = queue.ingest { answer in
      IngestJob(
        records: Array(repeating: Sample.record(1), count: IngestQueue.largestGroup + 1), source: .trusted,
        tenant: .standard, now: Sample.now, answer: answer)
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        began.wait()
        queue.interrupt()
        release.signal()
        continuation.resume()
      }
    }
    guard case .failure(let error) = await answer else {
      Issue.record("answered")
      return
    }
    #expect(error.kind == .unavailable)
    await queue.close()
  }

  @Test func a_rejected_batch_does_not_affect_other_batches_of_the_commit() async throws {
    let (began, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isFirst = Mutex(true)
    let queue = IngestQueue(lanes: 1) { _, jobs in
      if isFirst.withLock({ first in
        defer { first = false }
        return first
      }) {
        began.signal()
        release.wait()
      }
      if jobs.contains(where: { $0.records[0].sequence == 4 }) {
        return .failure(StorageError(.system, "database", "no"))
      }
      return .success(IngestGroup(jobs))
    }
    let failed = await withTaskGroup(of: Int?.self) { group in
      group.addTask {
        _ = await queue.ingest { Self.job(0, $0) }
        return nil
      }
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          began.wait()
          continuation.resume()
        }
      }
      for number in 1...5 {
        group.addTask {
          if case .failure = await queue.ingest({ Self.job(number, $0) }) { number } else { nil }
        }
      }
      while queue.counts.waiting < 5 { await Task.yield() }
      release.signal()
      return await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
    }
    #expect(failed == [3])
  }

  @Test func a_closed_queue_answers_what_it_has_and_takes_nothing_more() async throws {
    let queue = IngestQueue(lanes: 2) { _, jobs in .success(IngestGroup(jobs)) }
    async let last = queue.ingest { Self.job(1, $0) }
    _ = await last
    await queue.close()
    guard case .failure(let error) = await queue.ingest({ Self.job(2, $0) }) else {
      Issue.record("taken")
      return
    }
    #expect(error.kind == .unavailable)
  }
}
