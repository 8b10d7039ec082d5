import Glibc
import Ports
import Synchronization

/// The thread that shows how the daemon goes; see ``StatusServer``.
extension Daemon {
  /// Starts it where there is a place to listen at; what stands in the way is said, and stops nothing.
  ///
  /// - Parameter forwarding: nil: records go to stdout alone.
  func startStatus(_ forwarding: Forwarding?) throws(StartError) -> StatusThread? {
    var doors = [statusSocket()].compactMap { $0 }
    let absent = addMetricsDoor(to: &doors)
    guard !doors.isEmpty || absent != nil else { return nil }
    let records = self.records
    let view = StatusView(
      started: BootClock.now, gatewayId: desk.gatewayId, configuration: path, stuck: manager.stuckThread,
      desk: { records.status(patience: StatusView.patience) },
      forwarding: forwarding.map { forwarding in { forwarding.status(patience: StatusView.patience) } },
      losses: { [way] in
        switch way {
        case .stdout(let queue): LossFigures(slowReader: queue.lost)
        case .spool: forwarding?.losses ?? LossFigures()
        }
      })
    let sources = StatusServer.Sources(
      status: { view.look().json() }, metrics: { view.look().metrics(ProcessFigures.read()) })
    return try StatusThread(doors, absent: absent, sources, followers, bell: statusBell)
  }

  /// The socket of this machine; nil: none is wanted, or none can be had, which is said.
  private func statusSocket() -> StatusServer.Door? {
    let configuration = settings.configuration
    let path: String
    switch configuration.status.socket {
    case .none: return nil
    case .at(let place): path = place
    case .usual:
      guard let place = StatusPlace.ofDaemon(stateDirectory: configuration.stateDirectory) else {
        say(
          "status: no folder for a socket (XDG_RUNTIME_DIR, stateDirectory): obdgate status cannot ask; name one: "
            + "\"status\": {\"socket\": PATH}")
        return nil
      }
      path = place
    }
    do throws(PortError) {
      return StatusServer.Door(try ListeningSocket(path: path, mode: StatusPlace.mode), isLocal: true)
    } catch {
      say("status: \(error); obdgate status cannot ask", .warning)
      return nil
    }
  }

  /// - Returns: nil: nothing is to be tried again.
  private func addMetricsDoor(to doors: inout [StatusServer.Door]) -> StatusServer.Absent? {
    guard let wanted = settings.configuration.status.metrics else { return nil }
    let absent = StatusServer.Absent(
      open: { () throws(PortError) in
        StatusServer.Door(try ListeningSocket(host: wanted.host, port: Int(wanted.port)), isLocal: false)
      },
      opened: { say("status.metrics: \(wanted.host):\(wanted.port): can be asked now") })
    do throws(PortError) {
      doors.append(try absent.open())
      return nil
    } catch {
      // DHCP may give the address later.
      say("status.metrics: \(error); nobody can ask there until it works, which is tried again and again", .warning)
      return absent
    }
  }
}

/// The thread, from start to end.
final class StatusThread: Sendable {
  private let thread: Thread
  private let bell: WakeUp
  private let end: End

  private final class End: Sendable { let hasCome = Atomic<Bool>(false) }

  init(
    _ doors: [StatusServer.Door], absent: StatusServer.Absent?, _ sources: sending StatusServer.Sources,
    _ followers: Followers, bell: WakeUp
  ) throws(StartError) {
    let end = End()
    thread = try Thread("obdgated-status") {
      var server = StatusServer(doors, absent: absent, sources, followers, bell: bell) {
        end.hasCome.load(ordering: .relaxed)
      }
      server.run()
    }
    self.bell = bell
    self.end = end
  }

  /// Ends it, and removes its socket.
  func stop() {
    end.hasCome.store(true, ordering: .relaxed)
    bell.signal()
    thread.join()
  }
}

/// Puts together what the threads say. In one thread.
final class StatusView {
  /// A thread that has not answered by then is stuck, ns.
  static let patience: Int64 = 1_000_000_000
  /// So long a look is good for all who ask, ns: many at once cost one; and so long, where a thread did not answer.
  private static let freshness: Int64 = 100_000_000
  private static let freshnessWhenStuck: Int64 = 5_000_000_000

  let started: Int64
  let gatewayId: String
  let configuration: String?
  let stuck: StuckThread
  let desk: () -> DeskStatus?
  /// Nil: there is no spool.
  let forwarding: (() -> ForwardingStatus?)?
  let losses: () -> LossFigures

  private var last: DaemonStatus?

  init(
    started: Int64, gatewayId: String, configuration: String?, stuck: StuckThread, desk: @escaping () -> DeskStatus?,
    forwarding: (() -> ForwardingStatus?)?, losses: @escaping () -> LossFigures
  ) {
    self.started = started
    self.gatewayId = gatewayId
    self.configuration = configuration
    self.stuck = stuck
    self.desk = desk
    self.forwarding = forwarding
    self.losses = losses
  }

  func look() -> DaemonStatus {
    if let last {
      let limit = last.stuck.isEmpty ? Self.freshness : Self.freshnessWhenStuck
      if BootClock.now - last.now < limit { return last }
    }
    let status = ask()
    last = status
    return status
  }

  private func ask() -> DaemonStatus {
    var status = DaemonStatus(
      now: BootClock.now, started: started, gatewayId: gatewayId, configuration: configuration, stuck: [],
      answered: [], losses: losses())
    func note(_ name: String, hasAnswered: Bool) {
      if hasAnswered { status.answered.append(name) } else { status.stuck.append(name) }
    }
    status.desk = desk()
    note("fusion", hasAnswered: status.desk != nil)
    if let forwarding {
      status.forwarding = forwarding()
      note("spool", hasAnswered: status.forwarding != nil)
    }
    if let name = stuck.name, !status.stuck.contains(name) {
      status.answered.removeAll { $0 == name }
      status.stuck.append(name)
    }
    status.now = BootClock.now
    return status
  }
}

/// Which thread the watchdog found stuck at its last look.
final class StuckThread: Sendable {
  private let found = Mutex<String?>(nil)
  var name: String? {
    get { found.withLock { $0 } }
    set { found.withLock { $0 = newValue } }
  }
}
