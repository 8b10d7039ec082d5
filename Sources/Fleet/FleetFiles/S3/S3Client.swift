import Dispatch
import FleetDomain
import Synchronization
import Telemetry

/// The limits of time for requests.
struct S3Limits: Sendable {
  /// Time limit for connecting including the TLS handshake, ms.
  var connectMilliseconds = 5_000
  /// Time limit for a whole request, ms.
  var requestMilliseconds = 120_000
  /// A request fails if it transfers almost nothing for this time, s.
  var slowSeconds = 10
}

/// Sends requests to an S3-compatible storage on its own threads, and repeats failed ones.
///
/// Each thread has one connection. A tenant uses at most half of them at a time, and waiting requests are served fairly,
/// so that the requests of one tenant do not delay those of others. While the storage is down, requests fail at once.
final class S3Client: Sendable {
  private struct Job: Sendable {
    let tenant: TenantID?
    let request: S3Request
    let result: CheckedContinuation<S3Answer, Never>
  }

  private struct State {
    var waiting = FairQueue<TenantID?, Int, Job> { max($0.request.body.count, 64 << 10) }
    var running: [TenantID?: Int] = [:]
    var idle: [Int]
    /// The number of requests without an answer since the last answer.
    var failures = 0
    /// While the storage is down: the time of the next attempt.
    var downUntil: ContinuousClock.Instant?
  }

  /// A connection, and the thread that uses it.
  private final class Line: Sendable {
    let queue: DispatchQueue
    let connection = Mutex<S3Connection?>(nil)

    init(_ number: Int) { queue = DispatchQueue(label: "s3-\(number)") }
  }

  private static let connections = 8
  private static let mostOfTenant = 4
  /// Maximum number of requests that wait.
  private static let mostWaiting = 1_000
  private static let attempts = 4
  /// The number of requests without an answer after which the storage counts as down.
  private static let mostFailures = 3
  /// The time for which requests fail at once while the storage is down.
  private static let pause = Duration.seconds(2)

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
  ///   - expected: the length of the answer in bytes; another one is a failure. `nil` for any length.
  /// - Throws: `missing` if the key does not exist; `unavailable` if no attempt succeeded; `system` if the storage
  ///   refuses the request.
  @discardableResult
  func send(
    _ request: S3Request, for tenant: TenantID?, expected: Int? = nil
  ) async throws(FileError) -> (body: [UInt8], etag: String) {
    var reason = ""
    for attempt in 0..<Self.attempts {
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

  /// Waits before another attempt: 0.1, 0.4 and 1.6 seconds, of which a random half is left out.
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
      let isFull = state.withLock { state in
        guard state.waiting.count < Self.mostWaiting else { return true }
        state.waiting.add(job, group: tenant, member: 0)
        return false
      }
      if isFull { return continuation.resume(returning: .failed("too many requests wait")) }
      startNext()
    }
  }

  /// Starts the next request, if a connection is free.
  private func startNext() {
    let (started, failed) = state.withLock { state -> ((Job, Int)?, [Job]) in
      if let time = state.downUntil, time > .now { return (nil, state.waiting.removeAll()) }
      guard let line = state.idle.last else { return (nil, []) }
      let running = state.running
      guard let job = state.waiting.next(in: { running[$0, default: 0] < Self.mostOfTenant }) else { return (nil, []) }
      state.idle.removeLast()
      state.running[job.tenant, default: 0] += 1
      return ((job, line), [])
    }
    for job in failed { job.result.resume(returning: .failed("the storage did not answer the last requests")) }
    guard let (job, number) = started else { return }
    lines[number].queue.async { [self] in
      let answer = lines[number].connection.withLock { connection -> S3Answer in
        if connection == nil { connection = S3Connection(bucket, limits) }
        guard let connection else {
          return .unusable("libcurl.so.4 is not installed or too old: install the package libcurl4")
        }
        return connection.send(job.request, headers: job.request.signedHeaders(for: bucket, at: now()))
      }
      state.withLock { state in
        state.idle.append(number)
        state.running[job.tenant, default: 0] -= 1
        if state.running[job.tenant] == 0 { state.running[job.tenant] = nil }
        if case .failed = answer {
          state.failures += 1
          if state.failures >= Self.mostFailures { state.downUntil = .now + Self.pause }
        } else {
          (state.failures, state.downUntil) = (0, nil)
        }
      }
      job.result.resume(returning: answer)
      startNext()
    }
  }
}
