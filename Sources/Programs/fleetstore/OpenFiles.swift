import FleetAPI
import Glibc
import Logging

/// The process's limit of open files and sockets.
enum OpenFiles {
  /// Number of open files that are not connections of clients, for example those of the database.
  private static let others = 64

  /// Raises the limit as far as the system allows. If it is still too low, reduces the maximum number of connections.
  static func makeRoom(for limits: inout ServerLimits, _ logger: Logger) {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let wanted = rlim_t(limits.connections + others)
    if limit.rlim_cur < wanted {
      limit.rlim_cur = min(wanted, limit.rlim_max)
      guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    }
    guard limit.rlim_cur < wanted else { return }
    // If the maximum number of connections is the default, nobody asked for it, so a lower one needs no warning.
    let level = limits.connections == ServerLimits().connections ? Logger.Level.debug : .warning
    limits.connections = max(Int(limit.rlim_cur) - others, 1)
    logger.log(
      level: level,
      "limits.connections: no more than \(limits.connections), as the process may have \(limit.rlim_cur) files open (ulimit -n)"
    )
  }
}
