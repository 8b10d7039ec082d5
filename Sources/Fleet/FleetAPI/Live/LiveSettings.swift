/// Settings of WebSocket connections. Times are in seconds, sizes in bytes.
public struct LiveSettings: Equatable, Sendable {
  /// A client that is further behind is disconnected.
  public var behindBytes = 1 << 20
  /// The time between two pings. A client that is silent between them is disconnected.
  public var pingSeconds = 30
  /// The maximum number of channels of one connection.
  public var subscriptions = 256
  /// The time for the first message with a token, if the handshake had none.
  public var authenticateSeconds = 10
  /// The time in which a disconnected client may read the data in transit; the reason comes last.
  var farewellSeconds = 10
  /// Web pages of other origins that may connect.
  public var origins = AllowedOrigins()

  /// The maximum number of bytes of older records in transit.
  var replayBytes: Int { max(behindBytes / 4, 64 << 10) }

  /// Creates the defaults.
  public init() {}
}
