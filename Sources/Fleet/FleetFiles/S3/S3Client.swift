import Dispatch
import FleetDomain
import Synchronization
import Telemetry

/// Time limits for requests, and the maximum number of attempts.
struct S3Limits: Sendable {
  /// Time limit for connecting including the TLS handshake, ms.
  var connectMilliseconds = 5_000
  /// Time limit for a whole request, ms.
  var requestMilliseconds = 120_000
  /// Time with almost no transfer after which a request fails, s.
  var slowSeconds = 10
  /// The maximum number of times that a request is sent.
  var attempts = 4
  /// Time for which a tenant's requests fail immediately, after several of its requests were not answered.
  var pause = Duration.seconds(2)
}

/// Sends requests to an S3-compatible storage on its own threads, and repeats failed ones.
///
/// Each thread has one connection. A tenant uses at most half of them at a time, and waiting requests are served
/// fairly, so that the requests of one tenant do not delay those of others. If the storage does not answer the requests
/// of a tenant, the tenant's next requests fail immediately; the requests of other tenants are still sent.
final class S3Client: Sendable {
  private struct Job: Sendable {
    let tenant: TenantID?
    let request: S3Request
    let result: CheckedContinuation<S3Answer, Never>
  }

  /// The requests of one tenant.
  private struct Use {
    var (waiting, running) = (0, 0)
    /// The number of requests that were not answered since the last answer.
    var failures = 0
    /// While the storage counts as down for this tenant, the time of the next attempt; otherwise `nil`.
    var downUntil: ContinuousClock.Instant?

    /// Whether one more connection may be used for the tenant. While the storage counts as down, a single connection is
    /// sufficient to find out whether the storage answers again.
    var mayStart: Bool { running < (failures < S3Client.mostFailures ? S3Client.mostOfTenant : 1) }
    var isEmpty: Bool { waiting == 0 && running == 0 && failures == 0 }
  }

  private struct State {
    var waiting = FairQueue<TenantID?, Int, Job> { max($0.request.body.count, 64 << 10) }
    /// The state of each tenant that has requests, or whose last request was not answered. Other tenants are not
    /// included.
    var uses: [TenantID?: Use] = [:]
    var idle: [Int]

    mutating func change<Result>(_ tenant: TenantID?, _ change: (inout Use) -> Result) -> Result {
      var use = uses[tenant] ?? Use()
      let result = change(&use)
      uses[tenant] = use.isEmpty ? nil : use
      return result
    }

    /// Removes and returns the next request. Considers only tenants for which `isOpen` returns `true`. Returns `nil` if
    /// no such request waits.
    mutating func next(in isOpen: (TenantID?) -> Bool) -> Job? {
      guard let job = waiting.next(in: isOpen) else { return nil }
      change(job.tenant) { $0.waiting -= 1 }
      return job
    }
  }

  /// A connection, and the thread that uses it.
  private final class Line: Sendable {
    let queue: DispatchQueue
    let connection = Mutex<S3Connection?>(nil)

    init(_ number: Int) { queue = DispatchQueue(label: "s3-\(number)") }
  }

  private static let connections = 8
  private static let mostOfTenant = 4
  /// Maximum number of waiting requests of a tenant.
  private static let mostWaiting = 1_000
  /// The number of a tenant's requests without an answer after which the storage counts as down for the tenant.
  private static let mostFailures = 3
  private static let isDown = "the storage did not answer the last requests"

  let bucket: S3Bucket
  let now: @Sendable () -> Timestamp
  private let limits: S3Limits
  private let lines = (0..<connections).map { Line($0) }
  private let state = Mutex(State(idle: Array(0..<connections)))

  init(_ bucket: S3Bucket, _ limits: S3Limits, now: @escaping @Sendable () -> Timestamp) {
    (self.bucket, self.limits, self.now) = (bucket, limits, now)
  }

  /// Sends a request until it is answered. Requests must have the same effect if they are sent again.
  ///
  /// - Parameters:
  ///   - tenant: the tenant for which the request is sent; `nil` for the server itself.
  ///   - expected: the length that the answer must have, bytes; `nil` for any length. An answer of another length
  ///     counts as a failure.
  /// - Throws: `missing` if the key does not exist; `unavailable` if no attempt succeeded; `system` if the storage
  ///   refuses the request.
  @discardableResult
  func send(
    _ request: S3Request, for tenant: TenantID?, expected: Int? = nil
  ) async throws(FileError) -> (body: [UInt8], etag: String) {
    var reason = ""
    for attempt in 0..<limits.attempts {
      if attempt > 0 { try await backOff(attempt) }
      switch await once(request, tenant) {
      case .answer(let status, let body, let etag):
        if (200..<300).contains(status) {
          guard let expected, body.count != expected else { return (body, etag) }
          reason = "answered \(body.count) of \(expected) bytes"
          continue
        }
        let failure = S3Failure(status: status, body: body)
        guard failure.isTemporary else { throw failure.error(request, bucket) }
        reason = failure.description
      case .failed(let text): reason = text
      case .unusable(let text): throw .system("\(bucket): \(text)")
      }
    }
    throw .unavailable("\(bucket): \(reason)")
  }

  /// Waits before the next attempt. The wait is random: 0.05 to 0.1 s after the first attempt, 0.2 to 0.4 s after the
  /// second, and 0.8 to 1.6 s after the third.
  private func backOff(_ attempt: Int) async throws(FileError) {
    let most = 100 << (2 * (attempt - 1))
    do {
      try await Task.sleep(for: .milliseconds(Int.random(in: most / 2...most)))
    } catch {
      throw .unavailable("\(bucket): the request was cancelled")
    }
  }

  private func once(_ request: S3Request, _ tenant: TenantID?) async -> S3Answer {
    await withCheckedContinuation { continuation in
      let job = Job(tenant: tenant, request: request, result: continuation)
      let refusal = state.withLock { state -> String? in
        let refusal = state.change(tenant) { use -> String? in
          if let time = use.downUntil, time > .now { return Self.isDown }
          guard use.waiting < Self.mostWaiting else { return "too many requests wait" }
          use.waiting += 1
          return nil
        }
        if refusal == nil { state.waiting.add(job, group: tenant, member: 0) }
        return refusal
      }
      if let refusal { return continuation.resume(returning: .failed(refusal)) }
      startNext()
    }
  }

  /// Starts the next requests, as many as possible.
  private func startNext() {
    while let (job, number) = state.withLock({ Self.popNext(&$0) }) {
      lines[number].queue.async { [self] in
        let answer = lines[number].connection.withLock { connection -> S3Answer in
          if connection == nil { connection = S3Connection(bucket, limits) }
          guard let connection else {
            return .unusable("libcurl.so.4 is not installed or too old: install the package libcurl4")
          }
          return connection.send(job.request, headers: job.request.signedHeaders(for: bucket, at: now()))
        }
        end(job, number, answer)
      }
    }
  }

  /// Takes the next request and a connection for it; `nil` if no connection is free or no tenant may use one.
  private static func popNext(_ state: inout State) -> (Job, Int)? {
    guard let line = state.idle.last else { return nil }
    let uses = state.uses
    guard let job = state.next(in: { uses[$0]?.mayStart ?? true }) else { return nil }
    state.idle.removeLast()
    state.change(job.tenant) { $0.running += 1 }
    return (job, line)
  }

  private func end(_ job: Job, _ number: Int, _ answer: S3Answer) {
    let failed = state.withLock { state -> [Job] in
      state.idle.append(number)
      let isDown = state.change(job.tenant) { use -> Bool in
        use.running -= 1
        guard case .failed = answer else {
          (use.failures, use.downUntil) = (0, nil)
          return false
        }
        use.failures += 1
        guard use.failures >= Self.mostFailures else { return false }
        use.downUntil = .now + limits.pause
        return true
      }
      var failed: [Job] = []
      while isDown, let next = state.next(in: { $0 == job.tenant }) { failed.append(next) }
      return failed
    }
    job.result.resume(returning: answer)
    for next in failed { next.result.resume(returning: .failed(Self.isDown)) }
    startNext()
  }
}
