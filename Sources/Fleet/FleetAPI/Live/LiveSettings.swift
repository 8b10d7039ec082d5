/// Settings of WebSocket connections. Times are in seconds, sizes in bytes.
public struct LiveSettings: Equatable, Sendable {
  /// Maximum amount of data that waits to be sent to a client. If more data wait, the client is disconnected.
  public var behindBytes = 1 << 20
  /// The time between two pings. A client that sends nothing during several pings is disconnected.
  public var pingSeconds = 30
  /// The maximum number of channels of one connection.
  public var subscriptions = 256
  /// Time limit for the first message with a token, if the handshake had none.
  public var authenticateSeconds = 10
  /// Time limit for a client that is being disconnected to read the data that were sent before. The close frame with
  /// the reason is the last of them.
  var farewellSeconds = 10
  /// Origins of web pages that may connect, in addition to the server's own.
  public var origins = AllowedOrigins()

  /// The maximum number of bytes of older records that are sent to a client at a time.
  var replayBytes: Int { max(behindBytes / 4, 64 << 10) }

  /// Creates the defaults.
  public init() {}
}
