import Failures

/// An event that a sink reports to the operator. `description` is one log line; the caller puts the sink's name before
/// it.
public enum SinkEvent: Equatable, Sendable, CustomStringConvertible {
  /// The sink works: for the first time, or again after a failure.
  case working(String)
  /// The sink does not work, and its records wait. This is reported once for each error.
  case failing(SinkError)
  /// The server or broker has rejected the given record of a batch for good, and also `more` other records of this
  /// batch, perhaps for other reasons. The dead-letter file `keptIn` contains all of them; it is `nil` if there is no
  /// such file.
  case refused(record: String, reason: String, more: Int, keptIn: String?)
  /// A remark that is not repeated, for example that the last line of a file was repaired.
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

/// The reason why a sink does not work. `description` is one text line: first the place, then the detail.
public typealias SinkError = PlacedError<SinkErrorKind>

/// The kind of a ``SinkError``.
public enum SinkErrorKind: Sendable {
  /// A library that the sink needs is not installed.
  case missingLibrary
  /// The server or broker cannot be reached.
  case unreachable
  /// A time limit was exceeded.
  case timedOut
  /// The certificate of the server, broker or gateway is not accepted.
  case certificate
  /// The certificate of the server or broker is valid for another host.
  case otherHost
  /// A local TLS file (certificate or key) cannot be used.
  case badTLSFile
  /// The configured URL requires TLS, but the server or broker does not use it.
  case noTLS
  /// The server or broker closed the connection without an answer.
  case cut
  /// The server or broker rejects the credentials.
  case unauthorized
  /// The credentials belong to another gateway.
  case otherGateway
  /// The server or broker asks the sink to wait.
  case busy
  /// The server or broker has failed, or its answer is invalid.
  case badAnswer
  /// The server redirects to another server.
  case redirected
  /// No space is left on the disk.
  case full
  /// The file system is read-only.
  case readOnly
  /// A file, such as a token file, cannot be used.
  case badFile
  /// The sink was stopped while it was working.
  case stopped
  /// Any other error of the operating system.
  case system
}
