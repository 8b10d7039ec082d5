import Failures
import GatewayForwarding
import GatewayOutput
import GatewayStatus
import Glibc
import Ports
import Synchronization

/// Starts the thread that serves the status (``StatusServer``).
extension Daemon {
  /// Starts the status thread and returns it; `nil` if the thread has no address to serve. An address that cannot be
  /// opened is logged, and the daemon continues.
  ///
  /// - Parameter forwarding: the object that runs the spool's thread; `nil` if stdout is the only sink.
  func startStatus(_ forwarding: Forwarding?) throws(Failure) -> StatusThread? {
    var endpoints = [statusSocket()].compactMap { $0 }
    let pending = addMetricsEndpoint(to: &endpoints)
    guard !endpoints.isEmpty || pending != nil else { return nil }
    let records = self.records
    let view = StatusCollector(
      started: BootClock.now, gatewayId: pipeline.gatewayId, configuration: path, stuck: manager.stuckThread,
      pipeline: { records.status(patience: StatusCollector.patience) },
      forwarding: forwarding.map { forwarding in { forwarding.status(patience: StatusCollector.patience) } },
      losses: { [destination] in
        switch destination {
        case .stdout(let queue): LossFigures(slowReader: queue.lost)
        case .spool: forwarding?.losses ?? LossFigures()
        }
      })
    let sources = StatusServer.Sources(
      status: { view.snapshot().json() }, metrics: { view.snapshot().metrics(ProcessFigures.read()) })
    return try StatusThread(endpoints, pending: pending, sources, followers, wakeUp: statusWakeUp)
  }

  /// Opens the local socket. Returns `nil` if no socket is configured, or if the socket cannot be opened. In the second
  /// case, the reason is logged.
  private func statusSocket() -> StatusServer.Endpoint? {
    let configuration = settings.configuration
    let path: String
    switch configuration.status.socket {
    case .none: return nil
    case .at(let place): path = place
    case .usual:
      guard let place = StatusSocketPath.ofDaemon(stateDirectory: configuration.stateDirectory) else {
        Log.write(
          "status: no folder for a socket (XDG_RUNTIME_DIR, stateDirectory): obdgate status cannot ask; name one: "
            + "\"status\": {\"socket\": PATH}")
        return nil
      }
      path = place
    }
    do throws(PortError) {
      return StatusServer.Endpoint(try ListeningSocket(path: path, mode: StatusSocketPath.mode), isLocal: true)
    } catch {
      Log.write("status: \(error); obdgate status cannot ask", .warning)
      return nil
    }
  }

  /// Opens the TCP address at which metrics are served, and adds it to `endpoints`.
  ///
  /// - Returns: the address if it cannot be opened now and must be retried later; otherwise `nil`.
  private func addMetricsEndpoint(to endpoints: inout [StatusServer.Endpoint]) -> StatusServer.PendingEndpoint? {
    guard let wanted = settings.configuration.status.metrics else { return nil }
    let pending = StatusServer.PendingEndpoint(
      open: { () throws(PortError) in
        StatusServer.Endpoint(try ListeningSocket(host: wanted.host, port: Int(wanted.port)), isLocal: false)
      },
      opened: { Log.write("status.metrics: \(wanted.host):\(wanted.port): available now") })
    do throws(PortError) {
      endpoints.append(try pending.open())
      return nil
    } catch {
      // DHCP may assign the address to this machine later.
      Log.write(
        "status.metrics: \(error); the metrics are unavailable until a retry succeeds", .warning)
      return pending
    }
  }
}

/// The thread that serves the status. `stop()` ends it.
final class StatusThread: Sendable {
  private let thread: Thread
  private let wakeUp: WakeUp
  private let end: End

  private final class End: Sendable { let hasCome = Atomic<Bool>(false) }

  init(
    _ endpoints: [StatusServer.Endpoint], pending: StatusServer.PendingEndpoint?,
    _ sources: sending StatusServer.Sources,
    _ followers: Followers, wakeUp: WakeUp
  ) throws(Failure) {
    let end = End()
    thread = try Thread("obdgated-status") {
      var server = StatusServer(endpoints, pending: pending, sources, followers, wakeUp: wakeUp) {
        end.hasCome.load(ordering: .relaxed)
      }
      server.run()
    }
    self.wakeUp = wakeUp
    self.end = end
  }

  /// Ends the thread, and removes the local socket.
  func stop() {
    end.hasCome.store(true, ordering: .relaxed)
    wakeUp.signal()
    thread.join()
  }
}

/// Collects the status of all threads. Only the status thread may use it.
final class StatusCollector {
  /// Time limit for the answer of a thread, ns. A thread that takes longer counts as stuck.
  static let patience: Int64 = 1_000_000_000
  /// Time for which a snapshot is used for further requests, ns. Many simultaneous requests then need only one
  /// snapshot.
  private static let freshness: Int64 = 100_000_000
  /// Time for which a snapshot is used if a thread did not answer, ns.
  private static let freshnessWhenStuck: Int64 = 5_000_000_000

  let started: Int64
  let gatewayId: String
  let configuration: String?
  let stuck: StuckThread
  let pipeline: () -> PipelineStatus?
  /// Returns the status of spool and sinks; `nil` if there is no spool.
  let forwarding: (() -> ForwardingStatus?)?
  let losses: () -> LossFigures

  private var last: StatusSnapshot?

  init(
    started: Int64, gatewayId: String, configuration: String?, stuck: StuckThread,
    pipeline: @escaping () -> PipelineStatus?,
    forwarding: (() -> ForwardingStatus?)?, losses: @escaping () -> LossFigures
  ) {
    self.started = started
    self.gatewayId = gatewayId
    self.configuration = configuration
    self.stuck = stuck
    self.pipeline = pipeline
    self.forwarding = forwarding
    self.losses = losses
  }

  func snapshot() -> StatusSnapshot {
    if let last {
      let limit = last.stuck.isEmpty ? Self.freshness : Self.freshnessWhenStuck
      if BootClock.now - last.now < limit { return last }
    }
    let status = collect()
    last = status
    return status
  }

  private func collect() -> StatusSnapshot {
    var status = StatusSnapshot(
      now: BootClock.now, started: started, gatewayId: gatewayId, configuration: configuration, stuck: [],
      answered: [], losses: losses())
    func reportProgress(_ name: String, hasAnswered: Bool) {
      if hasAnswered { status.answered.append(name) } else { status.stuck.append(name) }
    }
    status.pipeline = pipeline()
    reportProgress("fusion", hasAnswered: status.pipeline != nil)
    if let forwarding {
      status.forwarding = forwarding()
      reportProgress("spool", hasAnswered: status.forwarding != nil)
    }
    if let name = stuck.name, !status.stuck.contains(name) {
      status.answered.removeAll { $0 == name }
      status.stuck.append(name)
    }
    status.now = BootClock.now
    return status
  }
}

/// The name of the thread that was stuck when the watchdog last checked; `nil` if no thread was stuck.
final class StuckThread: Sendable {
  private let found = Mutex<String?>(nil)
  var name: String? {
    get { found.withLock { $0 } }
    set { found.withLock { $0 = newValue } }
  }
}
