/// An error with its kind, its place and its cause. `description` is one text line: the place, then the detail.
///
///     /var/lib/obdgate/spool.db: another process uses the spool
public struct PlacedError<ErrorKind: Hashable & Sendable>: Error, Hashable, Sendable, CustomStringConvertible {
  /// The type of ``kind``.
  public typealias Kind = ErrorKind

  /// The kind of error, by which the caller decides what to do.
  public let kind: Kind
  /// Where the error occurred: a path, an address without a password, or an ID; empty if the detail contains it.
  public let place: String
  /// The cause and its remedy, without the place.
  public let detail: String

  /// Further text lines of an error that has several places. The error of a configuration has one text line for each
  /// fault.
  public var furtherLines: [String] = []

  /// All text lines, for a log or stderr.
  public var lines: [String] { [description] + furtherLines }

  /// Creates an error that occurred at a place.
  public init(_ kind: Kind, _ place: String, _ detail: String) {
    self.kind = kind
    self.place = place
    self.detail = detail
  }

  /// Creates an error without a place, whose detail is the whole text line.
  public init(_ kind: Kind, _ detail: String) { self.init(kind, "", detail) }

  /// Creates an error of one or more text lines.
  public init(_ kind: Kind, lines: [String]) {
    self.init(kind, lines.first ?? "")
    furtherLines = Array(lines.dropFirst())
  }

  public var description: String { place.isEmpty ? detail : "\(place): \(detail)" }
}
