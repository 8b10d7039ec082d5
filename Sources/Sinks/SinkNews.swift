/// What people should know of a sink: a line for each. The caller puts the sink's name in front.
public enum SinkNews: Equatable, Sendable, CustomStringConvertible {
  /// It works, for the first time or again.
  case working(String)
  /// It does not; the records wait. Said once for each reason.
  case failing(SinkError)
  /// A record was refused for good, and `more` others of its batch, for this reason or another; with the records of its
  /// kind it is kept in the dead-letter file.
  case refused(record: String, reason: String, more: Int, keptIn: String?)
  /// Something that should be known once: a file that others can read, a line that was mended.
  case remark(String)

  public var description: String {
    switch self {
    case .working(let what): what
    case .failing(let error): "\(error); its records wait"
    case .refused(let record, let reason, let more, let file):
      "record \(record)\(more > 0 ? " and \(more) more" : "") refused: \(reason); "
        + (file.map { "kept in \($0)" } ?? "not kept")
    case .remark(let text): text
    }
  }
}

/// Why a sink does not work. One line for people: what, where, what would be right.
public struct SinkError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Sendable {
    /// A library that the sink needs is not installed.
    case missingLibrary
    /// The peer cannot be reached.
    case unreachable
    /// It took too long.
    case timedOut
    /// Its certificate, or ours, is not accepted.
    case certificate
    /// Its certificate is for another host.
    case otherHost
    /// A file of our own that TLS needs cannot be used.
    case badTLSFile
    /// It speaks no TLS, and the address says that it does.
    case noTLS
    /// It ended the connection without a word.
    case cut
    /// The peer does not let us in.
    case unauthorized
    /// It lets us in as somebody else.
    case otherGateway
    /// The peer asks to be left alone for a while.
    case busy
    /// The peer failed, or answered what is not understood.
    case badAnswer
    /// A redirect to somewhere else.
    case redirected
    /// No space is left.
    case full
    /// The file system takes no writes.
    case readOnly
    /// A file that cannot be used, such as a token's.
    case badFile
    /// The sink was told to stop.
    case stopped
    /// Anything else that the system said.
    case system
  }
  public let kind: Kind
  /// File or address.
  public let place: String
  /// What went wrong, without the place.
  public let detail: String

  public init(_ kind: Kind, _ place: String, _ detail: String) {
    self.kind = kind
    self.place = place
    self.detail = detail
  }

  public var description: String { "\(place): \(detail)" }
}
