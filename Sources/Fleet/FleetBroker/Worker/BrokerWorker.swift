import Dispatch
import FleetDomain
import Logging
import ServiceLifecycle
import Synchronization
import Telemetry

/// Takes records from a broker into a store, beside the server or without one. Any number of workers, in as many
/// processes, may share the messages of one queue and one PostgreSQL: none keeps anything.
///
///     let worker = try BrokerWorker(options, storage: storage, logger: logger) { WallClock.now }
///     try await worker.run()
///
/// It ends when its task is cancelled, or gracefully when its service group is told to: the transaction under way is
/// finished and acknowledged; all else stays with the broker.
public final class BrokerWorker: Service {
  private let options: BrokerOptions
  private let storage: any FleetStorage
  private let logger: Logger
  private let now: @Sendable () -> Timestamp
  private let state: WorkerState
  private let waiter = Mutex<(continuation: CheckedContinuation<Void, Never>?, isDone: Bool)>((nil, false))

  /// - Parameters:
  ///   - storage: open; whoever opened it closes it.
  ///   - now: the time of day.
  /// - Throws: where no descriptor is left.
  public init(
    _ options: BrokerOptions, storage: any FleetStorage, logger: Logger, now: @escaping @Sendable () -> Timestamp
  ) throws(BrokerFailure) {
    self.options = options
    self.storage = storage
    self.logger = logger
    self.now = now
    state = try WorkerState()
  }

  /// Since the start.
  public var counts: BrokerCounts { state.now }

  public func run() async throws {
    let queue = DispatchQueue(label: "broker")
    queue.async { [self] in
      // RabbitMQ has a queue for what is refused; what mosquitto is told that we have is gone.
      let store = MessageStore(storage, tenant: options.tenant, mayRefuse: options.isAMQP, now: now)
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

  /// Tells it to end, as its service group would, and does not wait for that.
  public func stop() {
    let limit = options.stopMilliseconds
    state.stop(by: Clock.now &+ Int64(limit) * 1_000_000)
    // A call into a library that still waits for a broker which does not answer is left to itself.
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
