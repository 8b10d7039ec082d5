import Failures
import Gateway
import Glibc
import Ports

/// Runs the checks in parallel. A check that hangs does not delay the other checks.
struct Examination {
  /// The data that most checks use.
  struct Case: Sendable {
    var settings: Settings
    /// The status of the running daemon; `nil` if no daemon answers.
    var status: DaemonStatus?
    /// The user whose permissions are checked.
    var user: ServiceUser
  }

  /// Time limit of one check, ns.
  static let limit: Int64 = 5_000_000_000
  /// Additional time in which a check can report that its time limit has passed, ns.
  private static let grace: Int64 = 1_000_000_000

  private static var deadline: Int64 { BootClock.now + limit + grace }

  private let path: String?
  private let socket: String?

  /// Prepares the checks.
  ///
  /// - Parameters:
  ///   - configuration: path of the configuration file that the user has named; `nil` for the usual file if it exists.
  ///   - socket: path of the daemon's socket that the user has named; `nil` if the user has named none.
  init(configuration: String?, socket: String?) {
    path = configuration ?? (unsafe access(DoctorCommand.usualFile, F_OK) == 0 ? DoctorCommand.usualFile : nil)
    self.socket = socket
  }

  /// Runs all checks.
  ///
  /// - Parameter take: receives each finding when it is known. The order of the findings is fixed.
  /// - Throws: the errors of `take`, or an error if the process cannot create another thread.
  func run(_ take: (Finding) throws -> Void) throws {
    let (path, socket) = (path, socket)
    let reading = try BackgroundCheck { ConfigurationCheck.read(path) }
    let (settings, read) = reading.value(until: Self.deadline) ?? (nil, [Self.late("configuration")])
    try read.forEach(take)
    // An invalid configuration may still name the daemon's socket.
    let inspect = try settings.map { StatusLocation($0.configuration) } ?? Self.inspect(at: path)
    let asking = try BackgroundCheck { DaemonCheck.run(named: socket, configured: inspect) }
    let (status, daemon) = asking.value(until: Self.deadline) ?? (nil, [Self.late("daemon")])
    let user = ServiceUser(pid: status?.pid)
    if let settings {
      let about = Case(settings: settings, status: status, user: user)
      // Load the libraries before other threads start, because libraries read the environment while they are loaded.
      try LibraryCheck.findings(about).forEach(take)
      try run(checks(about), take)
    } else {
      try Self.notMade.forEach(take)
      // Without a valid configuration, the devices can still be listed.
      let about = Case(settings: try Self.without(), status: status, user: user)
      try run(
        [
          ("adapter", try BackgroundCheck { AdapterCheck(about).findings }),
          ("clock", try BackgroundCheck { ClockCheck.findings() }),
        ], take)
    }
    try daemon.forEach(take)
  }

  /// The findings if the configuration is invalid: for each check that needs the configuration, a warning that the
  /// check was not made.
  private static var notMade: [Finding] {
    let reason = "not checked: it depends on the configuration, which cannot be used"
    return ["libraries", "bluetooth", "disk", "sinks"].map { Finding(.warning, $0, reason) }
      + [
        Finding(
          .warning, "adapter",
          "configured devices are not checked because the configuration is invalid; the other checks run as without one"
        )
      ]
  }

  private static func inspect(at path: String?) throws -> StatusLocation {
    try BackgroundCheck { StatusLocation(file: path) }.value(until: deadline) ?? StatusLocation(file: nil)
  }

  private typealias Checks = [(name: String, check: BackgroundCheck<[Finding]>)]

  private func checks(_ about: Case) throws -> Checks {
    let configuration = about.settings.configuration
    var checks: Checks = [("adapter", try BackgroundCheck { AdapterCheck(about).findings })]
    for peer in NetworkCheck.peers(configuration) {
      checks.append(("adapter", try BackgroundCheck { [peer.finding(about.status)] }))
    }
    checks += [
      ("bluetooth", try BackgroundCheck { BluetoothCheck.findings(about) }),
      ("clock", try BackgroundCheck { ClockCheck.findings() }),
      ("disk", try BackgroundCheck { DiskCheck.findings(about) }),
    ]
    for index in configuration.sinks.indices {
      checks.append((configuration.sinks[index].name, try BackgroundCheck { SinkCheck.findings(about, index) }))
    }
    return checks
  }

  private func run(_ checks: Checks, _ take: (Finding) throws -> Void) throws {
    let deadline = Self.deadline
    for (name, check) in checks {
      try (check.value(until: deadline) ?? [Self.late(name)]).forEach(take)
    }
  }

  private static func late(_ name: String) -> Finding {
    Finding(.problem, name, "no result within \(limit / 1_000_000_000) s: a call does not return")
  }

  private static func without() throws(Failure) -> Settings {
    do throws(Failure) {
      return try Settings(path: nil)
    } catch {
      throw Failure(.badConfiguration, error.description)
    }
  }
}
