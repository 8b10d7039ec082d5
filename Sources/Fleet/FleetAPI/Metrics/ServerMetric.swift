/// A metric of another component in the same process, reported with the metrics of the server.
public struct ServerMetric: Equatable, Sendable {
  /// A counter only increases.
  public enum Kind: Sendable { case counter, gauge }

  /// `fleetstore_broker_messages_total`
  public let name: String
  public let kind: Kind
  /// One line of description.
  public let help: String
  public let value: Int

  public init(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
    self.name = name
    self.kind = kind
    self.help = help
    self.value = value
  }
}
