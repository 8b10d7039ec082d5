/// The result of testing a sink's peer (its server or broker) without sending a record. `description` is one text line.
public struct PeerCheck: Equatable, Sendable, CustomStringConvertible {
  /// The result of the test: whether the peer would accept records.
  public enum Verdict: Sendable {
    /// The peer would accept records.
    case takesRecords
    /// The peer was reached, but whether it accepts records is unknown.
    case uncertain
    /// The peer would not accept records, or cannot be reached.
    case takesNone
  }
  /// The result of the test: whether the peer would accept records.
  public let verdict: Verdict
  /// The kind of the error that prevents the peer from accepting records; `nil` if there was no error.
  public let kind: SinkErrorKind?
  /// The peer's address and the result of the test, as text. It contains no secret.
  public let description: String

  init(_ verdict: Verdict, _ description: String) {
    self.verdict = verdict
    kind = nil
    self.description = description
  }

  init(_ error: SinkError, verdict: Verdict = .takesNone) {
    self.verdict = verdict
    kind = error.kind
    description = error.description
  }
}

extension SinkConfiguration {
  /// Tests the sink's peer: connects with the sink's TLS files and credentials, but sends no record. The test may take
  /// slightly longer than `limit`.
  ///
  /// - Parameters:
  ///   - limit: time limit, ns.
  ///   - gatewayId: the gateway's ID that the records would contain; `nil` if unknown.
  /// - Returns: the result; `nil` for a sink that has no peer, such as a file.
  public func check(within limit: Int64, gatewayId: String? = nil) -> PeerCheck? {
    switch self {
    case .stdout, .file: nil
    case .fleetStore(let store): store.check(within: limit, gatewayId: gatewayId)
    case .mqtt(let broker): broker.check(within: limit)
    }
  }
}
