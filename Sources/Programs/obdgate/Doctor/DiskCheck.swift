import Failures
import Glibc

/// Checks the folders and files in which records are stored: whether they exist, are writable, and have enough free
/// space.
enum DiskCheck {
  private static let name = "disk"

  static func findings(_ about: Examination.Case) -> [Finding] {
    let configuration = about.settings.configuration
    let keepsRecords = configuration.sinks.contains { if case .stdout = $0 { false } else { true } }
    var findings: [Finding] = []
    if let folder = configuration.stateDirectory {
      let wanted = Int64(configuration.spool.megabytes * 1e6)
      findings.append(check(at: folder, about.user, wanted: keepsRecords ? wanted : 0) ?? notYet(folder, about.user))
      if let finding = check(atKept: folder, about.user) { findings.append(finding) }
    } else if keepsRecords {
      findings.append(
        Finding(
          .warning, name, "no stateDirectory is configured: records that sinks lack are lost when the daemon ends",
          remedy: "\"stateDirectory\": \"/var/lib/obdgate\""))
    } else {
      findings.append(Finding(.ok, name, "records are not stored: they are only written to stdout"))
    }
    for sink in configuration.sinks {
      guard case .file(let file) = sink else { continue }
      let folder = folder(of: file.path)
      if folder != configuration.stateDirectory {
        findings.append(check(at: folder, about.user, wanted: 0) ?? missing(folder, about.user))
      }
      if let finding = check(atFile: file.path, about.user) { findings.append(finding) }
    }
    return findings
  }

  /// Checks a folder. `wanted` is the space that the spool in this folder may need, bytes.
  ///
  /// - Returns: the finding; `nil` if the folder does not exist.
  private static func check(at folder: String, _ user: ServiceUser, wanted: Int64) -> Finding? {
    var status = stat()
    guard unsafe stat(folder, &status) == 0 else { return errno == ENOENT ? nil : closed(folder, errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { return Finding(.problem, name, "\(folder): not a folder") }
    var space = statvfs()
    guard unsafe statvfs(folder, &space) == 0 else {
      return Finding(.problem, name, "\(folder): \(systemReason(errno))")
    }
    if space.f_flag & UInt(ST_RDONLY) != 0 {
      return Finding(
        .problem, name, "\(folder): its file system is read-only", remedy: "mount -o remount,rw its file system")
    }
    guard user.may(0o3, status) else {
      return Finding(
        .problem, name, "\(folder): \(user.name) may not write there", remedy: "chown \(user.name) \(folder)")
    }
    return room(folder, space, wanted: wanted)
  }

  /// Checks a file to which records are appended. Returns the problem; `nil` if there is none, or if the file does not
  /// exist yet.
  private static func check(atFile path: String, _ user: ServiceUser) -> Finding? {
    var status = stat()
    // If the file cannot be examined, the check of its folder has already reported the reason.
    guard unsafe stat(path, &status) == 0 else { return nil }
    if status.st_mode & S_IFMT == S_IFDIR {
      return Finding(.problem, name, "\(path): a folder, but records are written to this path", remedy: "name a file")
    }
    guard user.may(0o6, status) else {
      return Finding(
        .problem, name, "\(path): \(user.name) may not read and write it", remedy: "chown \(user.name) \(path)")
    }
    return nil
  }

  /// The daemon's own files in its state directory, with the permissions that the daemon needs. It must be able to read
  /// and write the files of the spool. For all other files, permission to read is enough: to change such a file, the
  /// daemon replaces it with a new file.
  private static let kept: [(name: String, bits: mode_t)] = [
    ("spool.lock", 0o6), ("spool.db", 0o6), ("spool.db-wal", 0o6), ("spool.db-shm", 0o6), ("adapters.jsonl", 0o4),
    ("trips.jsonl", 0o4), ("fences.json", 0o4), ("fences.geojson", 0o4),
  ]

  /// Checks the daemon's files in a state directory, which a daemon of another user may have created. Returns `nil` if
  /// this daemon can use all of them.
  private static func check(atKept folder: String, _ user: ServiceUser) -> Finding? {
    let others = kept.filter { file in
      var status = stat()
      return unsafe stat("\(folder)/\(file.name)", &status) == 0 && !user.may(file.bits, status)
    }
    guard !others.isEmpty else { return nil }
    return Finding(
      .problem, name,
      "\(folder): files of another user, which \(user.name) may not read or write: "
        + others.map(\.name).joined(separator: ", "),
      remedy: "chown -R \(user.name) \(folder)")
  }

  /// Returns the finding for a state directory that does not exist. This is not always a problem: the daemon creates
  /// the last folder of the path, and the service manager creates the folder of the service.
  private static func notYet(_ folder: String, _ user: ServiceUser) -> Finding {
    if user.isService, folder == "/var/lib/\(ServiceUser.serviceName)" {
      return Finding(.ok, name, "\(folder): made when the service starts")
    }
    var status = stat()
    let parent = Self.folder(of: folder)
    guard unsafe stat(parent, &status) == 0 else { return missing(folder, user) }
    let making = "install -d -o \(user.name) -m 700 \(folder)"
    guard user.may(0o3, status) else {
      return Finding(.problem, name, "\(folder): not there, and \(user.name) may not make it", remedy: making)
    }
    return Finding(.warning, name, "\(folder): not there yet", remedy: making)
  }

  /// Returns the finding for a folder that does not exist and that the daemon does not create.
  private static func missing(_ folder: String, _ user: ServiceUser) -> Finding {
    Finding(.problem, name, "\(folder): not there", remedy: "install -d -o \(user.name) -m 700 \(folder)")
  }

  private static func closed(_ folder: String, _ code: Int32) -> Finding {
    guard code == EACCES else { return Finding(.problem, name, "\(folder): \(systemReason(code))") }
    return Finding(.warning, name, "\(folder): this user may not look into it", remedy: "sudo obdgate doctor")
  }

  /// Returns the folder part of a path; `.` for a file name without a folder.
  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Minimum free space for the storage of records, bytes.
  private static let least: Int64 = 8_000_000

  private static func room(_ folder: String, _ space: statvfs, wanted: Int64) -> Finding {
    let unit = Int64(clamping: space.f_frsize)
    let free = Int64(clamping: space.f_bavail).multipliedReportingOverflow(by: unit).partialValue
    let text = "\(Figures.bytes(Int(free))) free"
    // A file system that does not limit the number of files reports 0 as the total and as the free number.
    if space.f_files > 0, space.f_favail == 0 {
      return Finding(.problem, name, "\(folder): \(text), but no more files", remedy: "df -i \(folder)")
    }
    if free < least { return Finding(.problem, name, "\(folder): \(text)", remedy: "make room: df \(folder)") }
    let kept = size(of: folder + "/spool.db") + size(of: folder + "/spool.db-wal")
    guard free + kept >= wanted else {
      return Finding(
        .warning, name, "\(folder): \(text); the spool may want \(Figures.bytes(Int(wanted)))",
        remedy: "make room, or give it less by \"spool\": {\"megabytes\": …}")
    }
    return Finding(
      .ok, name, "\(folder): \(text)\(wanted > 0 ? ", of which the spool may take \(Figures.bytes(Int(wanted)))" : "")")
  }

  private static func size(of path: String) -> Int64 {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}
