/// Where the records are kept.
///
///     sqlite:fleet.db
///     postgres://fleet@db.example:5432/fleet
enum DatabaseAddress: Equatable {
  case sqlite(path: String)
  /// A connection URI as libpq reads it.
  case postgres(uri: String)

  /// - Parameter mayHoldPassword: whether a password may stand in it; not on a command line, which every user of the
  ///   machine can read.
  init(_ text: String, mayHoldPassword: Bool) throws(Failure) {
    guard !text.utf8.contains(0) else { throw Failure(.usage, "database: expected a text without NUL") }
    if text.hasPrefix("sqlite:"), text.utf8.count > 7 {
      self = .sqlite(path: String(text.dropFirst(7)))
      return
    }
    guard let scheme = ["postgres://", "postgresql://"].first(where: { text.hasPrefix($0) }) else {
      throw Failure(
        .usage, "database: expected sqlite:FILE or postgres://USER@HOST/DATABASE, found \"\(Self.hidden(text))\"")
    }
    let rest = text.dropFirst(scheme.utf8.count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let user = authority.lastIndex(of: "@").map { authority[..<$0] } ?? ""
    let hasPassword = user.contains(":") || rest.contains("password=")
    guard mayHoldPassword || !hasPassword else {
      throw Failure(
        .usage,
        "database: a password on the command line can be read by everybody; put it into PGPASSFILE, PGPASSWORD or the configuration"
      )
    }
    self = .postgres(uri: text)
  }

  /// The same with a file's path taken from a folder.
  func resolved(in folder: String) -> DatabaseAddress {
    if case .sqlite(let path) = self { .sqlite(path: Configuration.resolved(path, folder)) } else { self }
  }

  /// Without what could be a password.
  private static func hidden(_ text: String) -> String {
    guard let at = text.lastIndex(of: "@") else { return text }
    return "…" + text[at...]
  }
}
