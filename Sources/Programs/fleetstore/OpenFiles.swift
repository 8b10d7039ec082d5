import FleetAPI
import Glibc
import Logging

/// How many files and sockets the process may have open.
enum OpenFiles {
  /// Those that are no clients' connections: the database's, and what else is open.
  private static let others = 64

  /// Has as many allowed as the system lets us, and takes no more connections than there are files for.
  static func makeRoom(for limits: inout ServerLimits, _ logger: Logger) {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let wanted = rlim_t(limits.connections + others)
    if limit.rlim_cur < wanted {
      limit.rlim_cur = min(wanted, limit.rlim_max)
      guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    }
    guard limit.rlim_cur < wanted else { return }
    // Nobody asked for the number that is there without a configuration.
    let level = limits.connections == ServerLimits().connections ? Logger.Level.debug : .warning
    limits.connections = max(Int(limit.rlim_cur) - others, 1)
    logger.log(
      level: level,
      "limits.connections: no more than \(limits.connections), as the process may have \(limit.rlim_cur) files open (ulimit -n)"
    )
  }
}
