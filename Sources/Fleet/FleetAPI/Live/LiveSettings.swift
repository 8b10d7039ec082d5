/// Settings of WebSocket connections. Times are in seconds, sizes in bytes.
public struct LiveSettings: Equatable, Sendable {
  /// Maximum amount of unsent data. A client with more is disconnected.
  public var behindBytes = 1 << 20
  /// The time between two pings. A client that sends nothing during several pings is disconnected.
  public var pingSeconds = 30
  /// The maximum number of channels of one connection.
  public var subscriptions = 256
  /// The time for the first message with a token, if the handshake had none.
  public var authenticateSeconds = 10
  /// Time limit for a disconnected client to read the data in transit. The reason for the disconnection comes last.
  var farewellSeconds = 10
  /// Web pages of other origins that may connect.
  public var origins = AllowedOrigins()

  /// The maximum number of bytes of older records in transit.
  var replayBytes: Int { max(behindBytes / 4, 64 << 10) }

  /// Creates the defaults.
  public init() {}
}
