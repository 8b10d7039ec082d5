/// The result of testing a sink's peer without sending a record. `description` is one line.
public struct PeerCheck: Equatable, Sendable, CustomStringConvertible {
  /// The result.
  public enum Verdict: Sendable {
    /// The peer would accept records.
    case takesRecords
    /// The peer was reached, but whether it accepts records is unknown.
    case uncertain
    /// The peer would not accept records.
    case takesNone
  }
  /// The result.
  public let verdict: Verdict
  /// Reason why the peer accepts none; `nil` if there was no error.
  public let kind: SinkErrorKind?
  /// Address and result. It contains no secret.
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
  /// Connects to the sink's peer with the sink's own name, TLS files and credentials, without sending a record. It may
  /// block slightly longer than `limit`.
  ///
  /// - Parameters:
  ///   - limit: time limit, ns.
  ///   - gatewayId: gateway of the records that would be sent; `nil` if unknown.
  /// - Returns: the result; `nil` if this sink has no peer.
  public func check(within limit: Int64, gatewayId: String? = nil) -> PeerCheck? {
    switch self {
    case .stdout, .file: nil
    case .fleetStore(let store): store.check(within: limit, gatewayId: gatewayId)
    case .mqtt(let broker): broker.check(within: limit)
    }
  }
}
