import Glibc
import Ports
import Synchronization

/// The thread that shows how the daemon goes; see ``StatusServer``.
extension Daemon {
  /// Starts it where there is a place to listen at; what stands in the way is said, and stops nothing.
  ///
  /// - Parameter forwarding: nil: records go to stdout alone.
  func startStatus(_ forwarding: Forwarding?) throws(StartError) -> StatusThread? {
    let doors = statusDoors()
    guard !doors.isEmpty else { return nil }
    let records = self.records
    let view = StatusView(
      started: BootClock.now, gatewayId: desk.gatewayId, configuration: path, stuck: manager.stuckThread,
      desk: { records.status(patience: StatusView.patience) },
      forwarding: forwarding.map { forwarding in { forwarding.status(patience: StatusView.patience) } },
      lost: { [way] in if case .stdout(let queue) = way { queue.lost } else { 0 } })
    let sources = StatusServer.Sources(
      status: { view.look().json() }, metrics: { view.look().metrics(ProcessFigures.read()) })
    return try StatusThread(doors, sources, followers, bell: statusBell)
  }

  private func statusDoors() -> [StatusServer.Door] {
    var doors: [StatusServer.Door] = []
    let wanted = settings.configuration.status
    let path: String? =
      switch wanted.socket {
      case .usual: StatusPlace.ofDaemon()
      case .none: nil
      case .at(let path): path
      }
    do throws(PortError) {
      if let path {
        doors.append(StatusServer.Door(try ListeningSocket(path: path, mode: StatusPlace.mode), isLocal: true))
      }
    } catch {
      say("status: \(error); obdgate status cannot ask", .warning)
    }
    do throws(PortError) {
      if let metrics = wanted.metrics {
        let socket = try ListeningSocket(host: metrics.host, port: Int(metrics.port))
        doors.append(StatusServer.Door(socket, isLocal: false))
      }
    } catch {
      say("status.metrics: \(error); nobody can ask there", .warning)
    }
    return doors
  }
}

/// The thread, from start to end.
final class StatusThread: Sendable {
  private let thread: Thread
  private let bell: WakeUp
  private let end: End

  private final class End: Sendable { let hasCome = Atomic<Bool>(false) }

  init(
    _ doors: [StatusServer.Door], _ sources: sending StatusServer.Sources, _ followers: Followers, bell: WakeUp
  ) throws(StartError) {
    let end = End()
    thread = try Thread("obdgated-status") {
      var server = StatusServer(doors, sources, followers, bell: bell) { end.hasCome.load(ordering: .relaxed) }
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
  let lost: () -> UInt64

  private var last: DaemonStatus?

  init(
    started: Int64, gatewayId: String, configuration: String?, stuck: StuckThread, desk: @escaping () -> DeskStatus?,
    forwarding: (() -> ForwardingStatus?)?, lost: @escaping () -> UInt64
  ) {
    self.started = started
    self.gatewayId = gatewayId
    self.configuration = configuration
    self.stuck = stuck
    self.desk = desk
    self.forwarding = forwarding
    self.lost = lost
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
      answered: [], lost: lost())
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
