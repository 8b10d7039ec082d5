import FleetStorage

/// Where the records are kept.
///
///     sqlite:fleet.db
///     postgres://fleet@db.example:5432/fleet
enum DatabaseAddress: Equatable {
  case sqlite(path: String)
  case postgres(PostgreSQLAddress)

  /// - Parameter mayHoldPassword: whether a password may stand in it; not on a command line, which every user of the
  ///   machine can read.
  /// - Throws: what is wrong; no message shows the text, which may hold a password.
  init(_ text: String, mayHoldPassword: Bool) throws(Failure) {
    guard !text.utf8.contains(0) else { throw Failure(.usage, "database: expected a text without NUL") }
    if text.hasPrefix("sqlite:"), text.utf8.count > 7 {
      self = .sqlite(path: String(text.dropFirst(7)))
      return
    }
    guard ["postgres://", "postgresql://"].contains(where: { text.hasPrefix($0) }) else {
      throw Failure(.usage, "database: expected sqlite:FILE or postgres://USER@HOST/DATABASE")
    }
    let address: PostgreSQLAddress
    do throws(PostgreSQLAddress.ParsingError) {
      address = try PostgreSQLAddress(parsing: text)
    } catch {
      throw Failure(.usage, "database: \(error)")
    }
    guard mayHoldPassword || address.password == nil else {
      throw Failure(
        .usage,
        "database: a password on the command line can be read by everybody; put it into databasePasswordFile or PGPASSFILE"
      )
    }
    self = .postgres(address)
  }

  /// Whether there is a password in it.
  var hasPassword: Bool { if case .postgres(let address) = self { address.password != nil } else { false } }

  /// The same with a password; `nil` if there is one already, or it is no address that takes one.
  func withPassword(_ password: String) -> DatabaseAddress? {
    guard case .postgres(let address) = self else { return nil }
    return address.withPassword(password).map { .postgres($0) }
  }

  /// The same with a file's path taken from a folder.
  func resolved(in folder: String) -> DatabaseAddress {
    if case .sqlite(let path) = self { .sqlite(path: Configuration.resolved(path, folder)) } else { self }
  }
}
