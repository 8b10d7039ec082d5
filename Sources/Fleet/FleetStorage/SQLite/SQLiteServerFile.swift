import Failures
import FleetDomain
import Glibc

/// The file `fleet.db-server` in the folder of a SQLite database. It has two purposes: the server locks it, so that the
/// database has only one server; and it contains the number of changes of the database.
///
/// The lock is a flock(2), which ends with the process. The content is text. When a server starts, it compares the
/// content with the database, to detect that the database was replaced by an older copy:
///
///     fleetstore 1
///     pid     1234
///     store   00f1…
///     inode   131072
///     changes 4711
///     command 4702
///
/// The database counts its changes. `changes` is this count after the server's last commit; it is written before the
/// client is answered. `command` is the count after the last commit of a `fleetstore` command, such as `fleetstore
/// gateway add`. Neither number is ever higher than the count in the database. They are written without fsync, so they
/// may be too low after a crash of the machine.
final class SQLiteServerFile: Sendable {
  /// The kind of process that changes the database.
  enum Role {
    case server, command

    /// The key of a text line in the file. The line contains the number of changes as of the last commit of this kind
    /// of process.
    fileprivate var key: String { self == .server ? "changes" : "command" }
  }

  /// The content of the file.
  struct Contents: Equatable {
    /// The random identifier of the store.
    var store: [UInt8]
    /// The inode of the database file.
    var inode: UInt64
    /// The database's number of changes after the server's last commit.
    var changes: UInt64
    /// The database's number of changes after the last commit of a command. If the file lacks it, because an earlier
    /// version wrote the file, it equals ``changes``.
    var changesOfCommands: UInt64
  }

  private static let head = "fleetstore 1\n"
  /// The length to which each text line is padded, bytes.
  private static let width = 48

  let path: String
  private let descriptor: Int32

  /// Creates the file if it is missing, and locks it.
  ///
  /// - Throws: `inUse` if another process has locked it.
  init(of database: String) throws(StorageError) {
    // If the path is a link to the database, use the folder and the name of the file to which the link refers.
    path = (Self.real(database) ?? database) + "-server"
    // Do not open a link, because the file to which it refers would be overwritten.
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path, "cannot be opened") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let isTaken = errno == EWOULDBLOCK
      let process = Self.process(in: descriptor)
      defer { close(descriptor) }
      guard isTaken else { throw Self.failure(path, "cannot be locked") }
      throw StorageError(
        .inUse, database,
        "served already\(process.map { " by process \($0)" } ?? ""); a SQLite file has one server: stop that one, or use PostgreSQL"
      )
    }
  }

  /// Opens the existing file for a command.
  ///
  /// - Returns: `nil` if no server has created the file, or if this user may not write to it.
  init?(beside database: String) {
    path = (Self.real(database) ?? database) + "-server"
    descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    if descriptor < 0 { return nil }
  }

  /// Returns whether a server has locked the file of a database, and the ID of the server's process if it is known.
  static func holder(of database: String) -> (isServed: Bool, process: Int32?) {
    let descriptor = unsafe open((real(database) ?? database) + "-server", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return (false, nil) }
    // Closing the file also releases the lock that this function may have acquired.
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return (false, nil) }
    return (true, process(in: descriptor))
  }

  private static func process(in descriptor: Int32) -> Int32? { fields(of: descriptor)["pid"].flatMap { Int32($0) } }

  deinit { close(descriptor) }

  /// Releases the lock for the next server.
  func release() { flock(descriptor, LOCK_UN) }

  /// The content that this or an earlier process wrote; `nil` if it is unreadable.
  var contents: Contents? {
    let fields = Self.fields(of: descriptor)
    guard let store = fields["store"].flatMap({ Self.bytes($0) }), let inode = fields["inode"].flatMap({ UInt64($0) }),
      let changes = fields["changes"].flatMap({ UInt64($0) })
    else { return nil }
    return Contents(
      store: store, inode: inode, changes: changes,
      changesOfCommands: fields["command"].flatMap { UInt64($0) } ?? changes)
  }

  /// Replaces the content and makes it durable.
  func write(_ contents: Contents) throws(StorageError) {
    let hexadecimal = contents.store.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let text =
      Self.head
      + [
        ("pid", "\(getpid())"), ("store", hexadecimal), ("inode", "\(contents.inode)"),
        (Role.server.key, "\(contents.changes)"), (Role.command.key, "\(contents.changesOfCommands)"),
      ].map { Self.line($0.0, $0.1) }.joined()
    guard Self.write(text, to: descriptor, at: 0), ftruncate(descriptor, off_t(text.utf8.count)) == 0,
      fsync(descriptor) == 0
    else { throw Self.failure(path, "cannot be written") }
  }

  /// Writes the number of changes to the file. A failure is ignored: a restored backup may then not be detected, but
  /// the change itself succeeds.
  func record(_ changes: UInt64, of role: Role) {
    // The offset of the number. The server's number follows the text lines `pid`, `store` and `inode`; the command's
    // number follows the server's.
    let offset = Self.head.utf8.count + (role == .server ? 3 : 4) * Self.width
    _ = Self.write(Self.line(role.key, "\(changes)"), to: descriptor, at: offset)
  }

  private static func line(_ key: String, _ value: String) -> String {
    let text = key + String(repeating: " ", count: max(8 - key.utf8.count, 1)) + value
    return text + String(repeating: " ", count: max(width - 1 - text.utf8.count, 0)) + "\n"
  }

  private static func write(_ text: String, to descriptor: Int32, at offset: Int) -> Bool {
    let bytes = Array(text.utf8)
    return unsafe pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count
  }

  private static func fields(of descriptor: Int32) -> [String: String] {
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return [:] }
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    guard text.hasPrefix(head) else { return [:] }
    var fields: [String: String] = [:]
    for line in text.split(separator: "\n").dropFirst() {
      let parts = line.split(separator: " ")
      if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
    }
    return fields
  }

  private static func bytes(_ hexadecimal: String) -> [UInt8]? {
    let digits = hexadecimal.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0)) }
  }

  /// Returns the path with all links resolved; `nil` if no such file exists.
  static func real(_ path: String) -> String? {
    guard let found = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(found) }
    return unsafe String(cString: found)
  }

  private static func failure(_ path: String, _ what: String) -> StorageError {
    let code = errno
    let kind: StorageError.Kind =
      switch code {
      case ENOSPC, EDQUOT: .full
      case EROFS: .readOnly
      default: .unavailable
      }
    return StorageError(kind, path, "\(what): \(systemReason(code))")
  }
}

/// Functions for the database file itself.
enum SQLiteFile {
  /// Returns the inode of a file; `nil` if the file does not exist.
  static func inode(_ path: String) -> UInt64? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
  }

  /// Whether a file does not exist or is empty.
  static func isEmpty(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) != 0 ? errno == ENOENT : status.st_size == 0
  }

  /// Creates an empty file that only its owner can read and write. The additional files that SQLite creates get the
  /// same mode.
  ///
  /// Errors are ignored, because SQLite reports them when it opens the file.
  static func make(_ path: String) {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }
}
