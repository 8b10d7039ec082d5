/// A metric of another component in the same process. The server reports it together with its own metrics.
public struct ServerMetric: Equatable, Sendable {
  /// The type of a metric. The value of a counter never decreases; the value of a gauge may change in any way.
  public enum Kind: Sendable { case counter, gauge }

  /// The name, for example `fleetstore_broker_messages_total`.
  public let name: String
  public let kind: Kind
  /// A description of the metric, without line breaks.
  public let help: String
  public let value: Int

  public init(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
    self.name = name
    self.kind = kind
    self.help = help
    self.value = value
  }
}
