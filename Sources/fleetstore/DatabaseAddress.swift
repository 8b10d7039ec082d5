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
    self = .postgres(uri: text)
    guard mayHoldPassword || !Self.hasPassword(text.dropFirst(scheme.utf8.count)) else {
      throw Failure(
        .usage,
        "database: a password on the command line can be read by everybody; put it into databasePasswordFile or PGPASSFILE"
      )
    }
  }

  /// Whether there is a password in it.
  var hasPassword: Bool {
    guard case .postgres(let uri) = self, let slashes = uri.firstRange(of: "://") else { return false }
    return Self.hasPassword(uri[slashes.upperBound...])
  }

  /// The same with a password; nil: there is one already, or it is no address that takes one.
  func withPassword(_ password: String) -> DatabaseAddress? {
    guard case .postgres(let uri) = self, !hasPassword else { return nil }
    let coded = password.utf8.map { byte in
      let digits = String(byte, radix: 16)
      return "%" + (digits.utf8.count == 1 ? "0" : "") + digits
    }
    return .postgres(uri: uri + (uri.contains("?") ? "&" : "?") + "password=" + coded.joined())
  }

  /// - Parameter rest: a connection URI behind `://`.
  private static func hasPassword(_ rest: Substring) -> Bool {
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let user = authority.lastIndex(of: "@").map { authority[..<$0] } ?? ""
    return user.contains(":") || rest.contains("password=")
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
