import Glibc

/// The user whose permissions are checked: the user of the running daemon. If none is running, the user that would run
/// it.
struct ServiceUser: Sendable {
  let name: String
  /// Whether this is the user of the packaged service. Its groups are then those that the unit lists, and the unit
  /// limits the kinds of devices that it can open.
  let isService: Bool
  private let id: uid_t
  private let groups: Set<gid_t>

  static let serviceName = "obdgate"
  /// The `SupplementaryGroups` of the unit.
  static let serviceGroups = ["dialout", "bluetooth"]
  private static let units = ["/etc/systemd/system/obdgated.service", "/usr/lib/systemd/system/obdgated.service"]

  /// Whether the service is installed.
  static var hasUnit: Bool { units.contains { unsafe access($0, F_OK) == 0 } }

  /// Returns `obdgated` if the daemon runs in its systemd unit; `nil` if not, for example because a user started it.
  static func unit(of pid: Int) -> String? {
    // The line is like 0::/system.slice/obdgated.service (cgroups(7)).
    let ends = text("/proc/\(pid)/cgroup").split(separator: "\n").compactMap { $0.split(separator: "/").last }
    return ends.first { $0.hasPrefix("obdgate") && $0.hasSuffix(".service") }.map { String($0.dropLast(8)) }
  }

  /// Finds the user.
  ///
  /// - Parameter pid: process ID of the running daemon; `nil` if it is not running, or if its ID is unknown.
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

  /// Whether the owner, group and mode of a file give the user permissions (path_resolution(7)), for example `6` for
  /// reading and writing a file, or `3` for writing to and searching a folder.
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
    // If the daemon runs in another container, its process ID may belong to another process here.
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
      // The line has the real, effective, saved and file-system group.
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
