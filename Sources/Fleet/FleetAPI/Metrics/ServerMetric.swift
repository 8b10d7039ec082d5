/// A figure of whatever runs beside the server, shown with the metrics of the whole server.
public struct ServerMetric: Equatable, Sendable {
  /// Whether it only grows.
  public enum Kind: Sendable { case counter, gauge }

  /// `fleetstore_broker_messages_total`
  public let name: String
  public let kind: Kind
  /// One line for people.
  public let help: String
  public let value: Int

  public init(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
    self.name = name
    self.kind = kind
    self.help = help
    self.value = value
  }
}
