import Failures
import FleetStorage

/// The address of the database.
///
///     sqlite:fleet.db
///     postgres://fleet@db.example:5432/fleet
enum DatabaseAddress: Equatable {
  case sqlite(path: String)
  case postgres(PostgreSQLAddress)

  /// - Parameter mayHoldPassword: whether the address may contain a password. An address on a command line may not,
  ///   because all users of the machine can read it.
  /// - Throws: an error that does not contain the text, which may contain a password.
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
        "database: all users can read a password on the command line; put it into databasePasswordFile or PGPASSFILE"
      )
    }
    self = .postgres(address)
  }

  /// Whether the address contains a password.
  var hasPassword: Bool { if case .postgres(let address) = self { address.password != nil } else { false } }

  /// Returns the address with a password; `nil` if it already has one, or cannot have one.
  func withPassword(_ password: String) -> DatabaseAddress? {
    guard case .postgres(let address) = self else { return nil }
    return address.withPassword(password).map { .postgres($0) }
  }

  /// Returns the address with a relative file resolved in a folder.
  func resolved(in folder: String) -> DatabaseAddress {
    if case .sqlite(let path) = self { .sqlite(path: Configuration.resolved(path, folder)) } else { self }
  }
}
