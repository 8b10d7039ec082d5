import Failures
import FleetDomain
import Glibc

/// What the one server of a SQLite file keeps beside it, in `fleet.db-server`: a lock, and how many changes the database
/// had when somebody was last told of one.
///
/// The lock is flock(2)'s: it ends with the process. The rest is one record of text, so that a server that starts can tell
/// whether the database is still the one that was served before, or an older copy was put in its place:
///
///     fleetstore 1
///     pid     1234
///     store   00f1…
///     inode   131072
///     changes 4711
///     command 4702
///
/// `changes` is written after each commit of the server and before anybody hears of it, `command` after those of commands
/// beside it; without fsync: as long as the machine does not crash they are never behind what others have seen, and they
/// are never ahead of the database itself.
final class SQLiteServerFile: Sendable {
  /// Who changes the database.
  enum Role {
    case server, command

    /// The key of its line.
    fileprivate var key: String { self == .server ? "changes" : "command" }
  }

  /// What the file says.
  struct Contents: Equatable {
    /// The store's own random identifier.
    var store: [UInt8]
    /// Of the database file.
    var inode: UInt64
    /// The number of changes after the last commit of the server.
    var changes: UInt64
    /// The same of commands; equal to the server's in files of earlier versions.
    var changesOfCommands: UInt64
  }

  private static let head = "fleetstore 1\n"
  /// Bytes of a line, whatever its value.
  private static let width = 48

  let path: String
  private let descriptor: Int32

  /// Makes the file if it is not there, and locks it.
  ///
  /// - Throws: `inUse` where another process has it.
  init(of database: String) throws(StorageError) {
    // A link to a database leads to the same file.
    path = (Self.real(database) ?? database) + "-server"
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path, "cannot be opened") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let isTaken = errno == EWOULDBLOCK
      let process = Self.fields(of: descriptor)["pid"].flatMap { Int32($0) }
      defer { close(descriptor) }
      guard isTaken else { throw Self.failure(path, "cannot be locked") }
      throw StorageError(
        .inUse, database,
        "served already\(process.map { " by process \($0)" } ?? ""); a SQLite file has one server: stop that one, or use PostgreSQL"
      )
    }
  }

  /// Opens the file beside a server.
  ///
  /// - Returns: `nil` if no server has made it, or this user may not write to it.
  init?(beside database: String) {
    path = (Self.real(database) ?? database) + "-server"
    descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Leaves the database to the next server.
  func release() { flock(descriptor, LOCK_UN) }

  /// What the server before has left; nil: nothing that can be read.
  var contents: Contents? {
    let fields = Self.fields(of: descriptor)
    guard let store = fields["store"].flatMap({ Self.bytes($0) }), let inode = fields["inode"].flatMap({ UInt64($0) }),
      let changes = fields["changes"].flatMap({ UInt64($0) })
    else { return nil }
    return Contents(
      store: store, inode: inode, changes: changes,
      changesOfCommands: fields["command"].flatMap { UInt64($0) } ?? changes)
  }

  /// Replaces what the file says, for good.
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

  /// Writes down how many changes the database has. If that fails, a restored backup may go unnoticed, but no batch
  /// fails because of it.
  func record(_ changes: UInt64, of role: Role) {
    // Behind the lines `pid`, `store` and `inode`.
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

  private static func real(_ path: String) -> String? {
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

/// The database file itself.
enum SQLiteFile {
  /// Nil: there is none.
  static func inode(_ path: String) -> UInt64? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
  }

  /// Whether there is nothing: no file, or one without a byte.
  static func isEmpty(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) != 0 ? errno == ENOENT : status.st_size == 0
  }

  /// Makes an empty file that its owner alone may read. SQLite gives the files beside it the same mode.
  ///
  /// Where it is there already, or cannot be made, SQLite says what is wrong.
  static func make(_ path: String) {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }
}
