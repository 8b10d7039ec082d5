/// An error with its kind, its place and its cause. `description` is one line: the place, then the detail.
///
///     /var/lib/obdgate/spool.db: another process uses the spool
public struct PlacedError<ErrorKind: Hashable & Sendable>: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error, for the caller's decision.
  public typealias Kind = ErrorKind

  /// The kind of error.
  public let kind: Kind
  /// The subject: a path, an address without a password, an ID; empty if the detail names it.
  public let place: String
  /// The cause and its remedy, without the place.
  public let detail: String

  /// Further lines, of errors that name several places: a configuration has a line for each fault.
  public var furtherLines: [String] = []

  /// All lines for a log or stderr.
  public var lines: [String] { [description] + furtherLines }

  /// Creates an error with a place.
  public init(_ kind: Kind, _ place: String, _ detail: String) {
    self.kind = kind
    self.place = place
    self.detail = detail
  }

  /// Creates an error whose detail is the whole line.
  public init(_ kind: Kind, _ detail: String) { self.init(kind, "", detail) }

  /// Creates an error of one or more lines.
  public init(_ kind: Kind, lines: [String]) {
    self.init(kind, lines.first ?? "")
    furtherLines = Array(lines.dropFirst())
  }

  public var description: String { place.isEmpty ? detail : "\(place): \(detail)" }
}
