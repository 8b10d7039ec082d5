/// What was found out about a sink's peer without sending it a record. A line for people.
public struct PeerCheck: Equatable, Sendable, CustomStringConvertible {
  public enum Verdict: Sendable {
    /// It would take records.
    case takesRecords
    /// It was reached; whether it would take them could not be found out.
    case uncertain
    /// It would take none.
    case takesNone
  }
  public let verdict: Verdict
  /// Why it takes none; nil: no error.
  public let kind: SinkError.Kind?
  /// Where, and what was found; no secret is in it.
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
  /// Goes to the sink's peer as the sink itself would, by its name, TLS and token or password, and leaves without having
  /// sent a record. May wait as long as told, and a little longer.
  ///
  /// - Parameters:
  ///   - limit: ns.
  ///   - gatewayId: of the records that it would be sent; nil: not known.
  /// - Returns: nil: this sink has no peer.
  public func check(within limit: Int64, gatewayId: String? = nil) -> PeerCheck? {
    switch self {
    case .stdout, .file: nil
    case .fleetStore(let store): store.check(within: limit, gatewayId: gatewayId)
    case .mqtt(let broker): broker.check(within: limit)
    }
  }
}
