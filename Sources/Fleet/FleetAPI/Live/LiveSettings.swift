/// How WebSocket connections are kept. Times in seconds, sizes in bytes.
public struct LiveSettings: Equatable, Sendable {
  /// A reader that is further behind is cut off.
  public var behindBytes = 1 << 20
  /// From one ping to the next; who has said nothing since the last one is gone.
  public var pingSeconds = 30
  /// Channels of one connection.
  public var subscriptions = 256
  /// Until the first message says who it is, where the handshake did not.
  public var authenticateSeconds = 10
  /// For a reader that is cut off to take what is on its way, the reason last.
  var farewellSeconds = 10
  /// Web pages that may connect besides those of this server.
  public var origins = AllowedOrigins()

  /// Of older records so much is on its way at a time.
  var replayBytes: Int { max(behindBytes / 4, 64 << 10) }

  /// As they are unless configured.
  public init() {}
}
