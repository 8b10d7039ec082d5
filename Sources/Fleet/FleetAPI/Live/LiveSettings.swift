/// Settings of WebSocket connections. Times are in seconds, lengths in bytes.
public struct LiveSettings: Equatable, Sendable {
  /// Maximum length of the data that wait to be sent to a client. A client that would exceed it is disconnected.
  public var behindBytes = 1 << 20
  /// The time between two pings. A client that sends nothing during several pings is disconnected.
  public var pingSeconds = 30
  /// The maximum number of channels of one connection.
  public var subscriptions = 256
  /// The maximum number of channels of all connections of one tenant.
  public var subscriptionsOfTenant: Int { 64 * subscriptions }
  /// Time limit for the first message, which must contain a token if the handshake contained none.
  public var authenticateSeconds = 10
  /// Time that a slow client has, while it is being disconnected, to read the data that were sent before. The last of
  /// these data is the close frame with the reason.
  var farewellSeconds = 10
  /// Origins of web pages that may connect, in addition to the server's own origin.
  public var origins = AllowedOrigins()

  /// The maximum length of a piece of older records. A piece is sent after the previous piece was sent completely.
  var replayBytes: Int { max(behindBytes / 4, 64 << 10) }

  /// Creates the default settings.
  public init() {}
}
