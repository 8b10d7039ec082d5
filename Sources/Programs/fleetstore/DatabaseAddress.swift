import Failures
import FleetStorage

/// The address of the database.
///
///     sqlite:fleet.db
///     postgres://fleet@db.example:5432/fleet
enum DatabaseAddress: Equatable {
  /// The reason why a text is not an address. It never contains parts of the text, which may be a password.
  struct ParsingError: Error {
    var expected = "sqlite:FILE or postgres://USER@HOST/DATABASE"
    var found: String
  }

  case sqlite(path: String)
  case postgres(PostgreSQLAddress)

  /// Parses an address.
  ///
  /// - Parameter mayHoldPassword: whether the address may contain a password. An address on a command line must not,
  ///   because all users of the machine can read it.
  init(_ text: String, mayHoldPassword: Bool) throws(ParsingError) {
    guard !text.utf8.contains(0) else { throw ParsingError(found: "a text with NUL") }
    if text.hasPrefix("sqlite:"), text.utf8.count > 7 {
      self = .sqlite(path: String(text.dropFirst(7)))
      return
    }
    guard ["postgres://", "postgresql://"].contains(where: { text.hasPrefix($0) }) else {
      throw ParsingError(found: "something else")
    }
    let address: PostgreSQLAddress
    do throws(PostgreSQLAddress.ParsingError) {
      address = try PostgreSQLAddress(parsing: text)
    } catch {
      throw ParsingError(found: "something else: \(error)")
    }
    guard mayHoldPassword || address.password == nil else {
      throw ParsingError(
        expected:
          "no password on the command line, where all users of the machine can read it: put it into databasePasswordFile or PGPASSFILE",
        found: "one")
    }
    self = .postgres(address)
  }

  /// Whether the address contains a password.
  var hasPassword: Bool { if case .postgres(let address) = self { address.password != nil } else { false } }

  /// Returns the address with a password added; `nil` if the address already has one, or if the database is a SQLite
  /// file.
  func withPassword(_ password: String) -> DatabaseAddress? {
    guard case .postgres(let address) = self else { return nil }
    return address.withPassword(password).map { .postgres($0) }
  }

  /// Returns the same address. A relative path of a SQLite file becomes a path in `folder`.
  func resolved(in folder: String) -> DatabaseAddress {
    if case .sqlite(let path) = self { .sqlite(path: Configuration.resolved(path, folder)) } else { self }
  }
}
