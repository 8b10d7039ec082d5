import Dispatch
import FleetDomain
import Logging
import ServiceLifecycle
import Synchronization
import Telemetry

/// Stores records from a broker, in the process of a server or in a separate process. Any number of workers in any
/// number of processes may share one queue and one PostgreSQL database, because workers store no state of their own.
///
///     let worker = try BrokerWorker(options, storage: storage, logger: logger) { WallClock.now }
///     try await worker.run()
///
/// When its task is cancelled or its service group stops it, the worker finishes and acknowledges the current
/// transaction and ends. All other messages stay with the broker.
public final class BrokerWorker: Service {
  private let options: BrokerOptions
  private let storage: any FleetStorage
  private let logger: Logger
  private let onOutcomes: @Sendable (IngestCounts) -> Void
  private let now: @Sendable () -> Timestamp
  private let state: WorkerState
  private let waiter = Mutex<(continuation: CheckedContinuation<Void, Never>?, isDone: Bool)>((nil, false))

  /// Creates a worker.
  ///
  /// - Parameters:
  ///   - storage: an open storage; the caller closes it.
  ///   - onOutcomes: called with the results of records, including those that are refused before they reach the
  ///     storage.
  ///   - now: returns the current time.
  /// - Throws: an error if no file descriptor is free.
  public init(
    _ options: BrokerOptions, storage: any FleetStorage, logger: Logger,
    onOutcomes: @escaping @Sendable (IngestCounts) -> Void = { _ in }, now: @escaping @Sendable () -> Timestamp
  ) throws(BrokerFailure) {
    self.options = options
    self.storage = storage
    self.logger = logger
    self.onOutcomes = onOutcomes
    self.now = now
    state = try WorkerState()
  }

  /// The counts since the start.
  public var counts: BrokerCounts { state.now }

  public func run() async throws {
    let queue = DispatchQueue(label: "broker")
    queue.async { [self] in
      // RabbitMQ moves a rejected message to its dead-letter queue. mosquitto has none: an acknowledged message is
      // lost.
      let store = MessageStore(
        storage, tenant: options.tenant, mayRefuse: options.isAMQP, onOutcomes: onOutcomes, now: now)
      WorkerLoop(options, store, state, logger).run()
      finished()
    }
    await withTaskCancellationHandler {
      await withGracefulShutdownHandler {
        await withCheckedContinuation { continuation in
          let isDone = waiter.withLock { waiter in
            waiter.continuation = continuation
            return waiter.isDone
          }
          if isDone { finished() }
        }
      } onGracefulShutdown: {
        self.stop()
      }
    } onCancel: {
      stop()
    }
  }

  /// Begins to stop the worker, as its service group does, and returns immediately.
  public func stop() {
    let limit = options.stopMilliseconds
    state.stop(by: Clock.now &+ Int64(limit) * 1_000_000)
    // After the time limit, stop waiting for the thread: it may be in a library call that waits for a broker.
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(limit + 100)) { self.finished() }
  }

  private func finished() {
    let continuation = waiter.withLock { waiter in
      waiter.isDone = true
      defer { waiter.continuation = nil }
      return waiter.continuation
    }
    continuation?.resume()
  }
}
