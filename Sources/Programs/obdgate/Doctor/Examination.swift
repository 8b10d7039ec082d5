import Gateway
import Glibc
import Ports

/// All checks, side by side: one that hangs costs its own line alone.
struct Examination {
  /// What most checks need to know.
  struct Case: Sendable {
    var settings: Settings
    /// The running daemon; nil: none answers.
    var status: DaemonStatus?
    /// Whose permissions count.
    var user: ServiceUser
  }

  /// How long a check may take, ns.
  static let limit: Int64 = 5_000_000_000
  /// A check that keeps to its own limit gets to say so.
  private static let grace: Int64 = 1_000_000_000

  private static var deadline: Int64 { BootClock.now + limit + grace }

  private let path: String?
  private let socket: String?

  /// - Parameters:
  ///   - configuration: the file that was named; nil: the usual one, where it is there.
  ///   - socket: the daemon's, where it was named.
  init(configuration: String?, socket: String?) {
    path = configuration ?? (unsafe access(DoctorCommand.usualFile, F_OK) == 0 ? DoctorCommand.usualFile : nil)
    self.socket = socket
  }

  /// - Parameter take: gets each finding, in a fixed order, once it is known.
  /// - Throws: what `take` throws; where there are no threads to be had.
  func run(_ take: (Finding) throws -> Void) throws {
    let (path, socket) = (path, socket)
    let reading = try Errand { ConfigurationCheck.read(path) }
    let (settings, read) = reading.value(until: Self.deadline) ?? (nil, [Self.late("configuration")])
    try read.forEach(take)
    // One that is wrong somewhere may still say where its daemon is asked.
    let glance = try settings.map { StatusLocation($0.configuration) } ?? Self.glance(at: path)
    let asking = try Errand { DaemonCheck.ask(named: socket, configured: glance) }
    let (status, daemon) = asking.value(until: Self.deadline) ?? (nil, [Self.late("daemon")])
    let user = ServiceUser(pid: status?.pid)
    if let settings {
      let about = Case(settings: settings, status: status, user: user)
      // Libraries look at the environment while they are opened: before there are many threads.
      try LibraryCheck.findings(about).forEach(take)
      try run(errands(about), take)
    } else {
      try Self.notMade.forEach(take)
      // Devices that are there can be told without it.
      let about = Case(settings: try Self.without(), status: status, user: user)
      try run(
        [
          ("adapter", try Errand { AdapterCheck(about).findings }), ("clock", try Errand { ClockCheck.findings() }),
        ], take)
    }
    try daemon.forEach(take)
  }

  /// What cannot be checked without knowing what is configured.
  private static var notMade: [Finding] {
    let reason = "not checked: it depends on the configuration, which cannot be used"
    return ["libraries", "bluetooth", "disk", "sinks"].map { Finding(.warning, $0, reason) }
      + [
        Finding(
          .warning, "adapter",
          "those that the configuration names are not checked: it cannot be used; what is here is told as without one")
      ]
  }

  private static func glance(at path: String?) throws -> StatusLocation {
    try Errand { StatusLocation(file: path) }.value(until: deadline) ?? StatusLocation(file: nil)
  }

  private typealias Errands = [(name: String, errand: Errand<[Finding]>)]

  private func errands(_ about: Case) throws -> Errands {
    let configuration = about.settings.configuration
    var errands: Errands = [("adapter", try Errand { AdapterCheck(about).findings })]
    for peer in NetworkCheck.peers(configuration) {
      errands.append(("adapter", try Errand { [peer.finding(about.status)] }))
    }
    errands += [
      ("bluetooth", try Errand { BluetoothCheck.findings(about) }),
      ("clock", try Errand { ClockCheck.findings() }),
      ("disk", try Errand { DiskCheck.findings(about) }),
    ]
    for index in configuration.sinks.indices {
      errands.append((configuration.sinks[index].name, try Errand { SinkCheck.findings(about, index) }))
    }
    return errands
  }

  private func run(_ errands: Errands, _ take: (Finding) throws -> Void) throws {
    let deadline = Self.deadline
    for (name, errand) in errands {
      try (errand.value(until: deadline) ?? [Self.late(name)]).forEach(take)
    }
  }

  private static func late(_ name: String) -> Finding {
    Finding(.problem, name, "not found out within \(limit / 1_000_000_000) s: whatever was asked does not answer")
  }

  private static func without() throws(Failure) -> Settings {
    do throws(StartError) {
      return try Settings(path: nil)
    } catch {
      throw Failure(.badConfiguration, error.description)
    }
  }
}
