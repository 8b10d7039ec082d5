import Failures

/// A report about a sink for the operator; `description` is one log line, to which the caller adds the sink's name.
public enum SinkEvent: Equatable, Sendable, CustomStringConvertible {
  /// The sink works, for the first time or again.
  case working(String)
  /// The sink does not work, and its records wait. Reported once for each reason.
  case failing(SinkError)
  /// The peer rejected a record for good, and `more` other records of the batch for this reason or another. They are
  /// stored in the dead-letter file `keptIn`; `nil` if there is none.
  case refused(record: String, reason: String, more: Int, keptIn: String?)
  /// A remark that is made once, for example that a secret file is readable by others or that a line was repaired.
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

/// The reason why a sink does not work. `description` is one line: place, then detail.
public typealias SinkError = PlacedError<SinkErrorKind>

/// The kind of a ``SinkError``.
public enum SinkErrorKind: Sendable {
  /// A library that the sink needs is not installed.
  case missingLibrary
  /// The peer cannot be reached.
  case unreachable
  /// A time limit was exceeded.
  case timedOut
  /// The peer's certificate or the gateway's is not accepted.
  case certificate
  /// The peer's certificate is for another host.
  case otherHost
  /// A local file for TLS cannot be used.
  case badTLSFile
  /// The address requires TLS, but the peer does not use it.
  case noTLS
  /// The peer closed the connection without an answer.
  case cut
  /// The peer rejects the credentials.
  case unauthorized
  /// The credentials belong to another gateway.
  case otherGateway
  /// The peer asks the client to wait.
  case busy
  /// The peer failed, or its answer is invalid.
  case badAnswer
  /// The peer redirects to another server.
  case redirected
  /// No space is left on the disk.
  case full
  /// The file system is read-only.
  case readOnly
  /// A file cannot be used, such as a token file.
  case badFile
  /// The sink was stopped.
  case stopped
  /// Any other error of the operating system.
  case system
}
