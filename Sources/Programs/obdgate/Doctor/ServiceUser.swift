import Glibc

/// The user whose permissions are checked. It is the user of the running daemon, or the user that would run the daemon
/// if none is running.
struct ServiceUser: Sendable {
  let name: String
  /// Whether this is the user of the packaged service. This user has the groups that the unit lists, and the unit
  /// limits the kinds of devices that the service can open.
  let isService: Bool
  private let id: uid_t
  private let groups: Set<gid_t>

  static let serviceName = "obdgate"
  /// The groups in `SupplementaryGroups` of the service's unit.
  static let serviceGroups = ["dialout", "bluetooth"]
  private static let units = ["/etc/systemd/system/obdgated.service", "/usr/lib/systemd/system/obdgated.service"]

  /// Whether the service's unit is installed.
  static var hasUnit: Bool { units.contains { unsafe access($0, F_OK) == 0 } }

  /// Returns the unit of a daemon that runs as a systemd service, such as `obdgated`; `nil` for any other daemon.
  static func unit(of pid: Int) -> String? {
    // A line of the file is, for example, `0::/system.slice/obdgated.service` (cgroups(7)).
    let ends = text("/proc/\(pid)/cgroup").split(separator: "\n").compactMap { $0.split(separator: "/").last }
    return ends.first { $0.hasPrefix("obdgate") && $0.hasSuffix(".service") }.map { String($0.dropLast(8)) }
  }

  /// Finds the user, and the user's groups.
  ///
  /// - Parameter pid: process ID of the running daemon; `nil` if no daemon is running, or if the ID is unknown.
  init(pid: Int?) {
    let hasUnit = Self.hasUnit
    if let pid, let owner = Self.owner(of: pid) {
      id = owner
      name = Self.name(of: owner)
      isService = hasUnit && name == Self.serviceName
      groups = Self.groups(of: pid)
    } else if hasUnit, let user = unsafe getpwnam(Self.serviceName) {
      id = unsafe user.pointee.pw_uid
      name = Self.serviceName
      isService = true
      let own = unsafe user.pointee.pw_gid
      groups = Set([own] + Self.serviceGroups.compactMap { unsafe getgrnam($0).map { unsafe $0.pointee.gr_gid } })
    } else {
      id = geteuid()
      name = Self.name(of: id)
      isService = false
      groups = Self.own
    }
  }

  /// Whether the owner, group and mode of a file give the user certain permissions (path_resolution(7)). For example,
  /// `6` means reading and writing a file; `3` means searching a folder and creating files in it.
  func may(_ bits: mode_t, _ status: stat) -> Bool {
    if id == 0 { return true }
    let shift: mode_t = status.st_uid == id ? 6 : groups.contains(status.st_gid) ? 3 : 0
    return status.st_mode >> shift & bits == bits
  }

  func isIn(_ group: String) -> Bool {
    unsafe getgrnam(group).map { unsafe groups.contains($0.pointee.gr_gid) } ?? false
  }

  /// Returns the name of a group, or its number if it has no name.
  static func name(ofGroup group: gid_t) -> String {
    unsafe getgrgid(group).map { unsafe String(cString: $0.pointee.gr_name) } ?? "\(group)"
  }

  private static func name(of user: uid_t) -> String {
    unsafe getpwuid(user).map { unsafe String(cString: $0.pointee.pw_name) } ?? "\(user)"
  }

  private static func owner(of pid: Int) -> uid_t? {
    // If the daemon runs in another container, its process ID may be that of another process here.
    guard text("/proc/\(pid)/comm") == "obdgated\n" else { return nil }
    var status = stat()
    return unsafe stat("/proc/\(pid)", &status) == 0 ? status.st_uid : nil
  }

  private static func groups(of pid: Int) -> Set<gid_t> {
    var groups: Set<gid_t> = []
    for line in text("/proc/\(pid)/status").split(separator: "\n") {
      if line.hasPrefix("Groups:") {
        groups.formUnion(line.dropFirst(7).split(whereSeparator: \.isWhitespace).compactMap { gid_t($0) })
      }
      // The line has the real, effective, saved and file-system group ID.
      if line.hasPrefix("Gid:") {
        groups.formUnion(line.dropFirst(4).split(whereSeparator: \.isWhitespace).compactMap { gid_t($0) })
      }
    }
    return groups
  }

  private static var own: Set<gid_t> {
    var groups = [gid_t](repeating: 0, count: 256)
    let count = unsafe getgroups(Int32(groups.count), &groups)
    return Set(groups.prefix(Int(max(0, count))) + [getegid()])
  }

  /// Reads a small file of /proc; empty if it cannot be read.
  private static func text(_ path: String) -> String {
    (try? InputFile.contents(of: path, limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
