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
    let place = settings?.configuration.status.socket ?? .usual
    let asking = try Errand { DaemonCheck.ask(named: socket, configured: place) }
    let (status, daemon) = asking.value(until: Self.deadline) ?? (nil, [Self.late("daemon")])
    // Without a configuration, the rest is looked at as it is without one.
    let about = Case(
      settings: try settings ?? Self.without(), status: status, user: ServiceUser(pid: status?.pid))
    // Libraries look at the environment while they are opened: before there are many threads.
    try LibraryCheck.findings(about).forEach(take)
    try runAll(about, take)
    try daemon.forEach(take)
  }

  private func runAll(_ about: Case, _ take: (Finding) throws -> Void) throws {
    var errands: [(name: String, errand: Errand<[Finding]>)] = [
      ("adapter", try Errand { AdapterCheck(about).findings }),
      ("bluetooth", try Errand { BluetoothCheck.findings(about) }),
      ("clock", try Errand { ClockCheck.findings() }),
      ("disk", try Errand { DiskCheck.findings(about) }),
    ]
    for index in about.settings.configuration.sinks.indices {
      let name = about.settings.configuration.sinks[index].name
      errands.append((name, try Errand { SinkCheck.findings(about, index) }))
    }
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
