import FleetDomain

/// How the server is set up.
public struct ServerOptions: Equatable, Sendable {
  /// The address that it listens on.
  public var host = "127.0.0.1"
  /// 0: any that is free.
  public var port = 8_080
  /// Nil: HTTP without TLS.
  public var tls: TLSFiles?
  public var limits = ServerLimits()
  public var rate = RateLimit()
  public var live = LiveSettings()
  /// The digest of the token that sees the metrics of the whole server; nil: nobody does.
  public var serverToken: SecretHash?
  /// Where the same metrics, and nothing else, are served to everybody who reaches it; nil: nowhere.
  public var metrics: MetricsAddress?
  /// Whether each request is logged.
  public var accessLog = false
  /// Event loops.
  public var threads = 2

  /// As it is unless configured.
  public init() {}
}

/// Where the metrics of the whole server are served without a token.
///
/// An address of its own: at the server's a proxy on the same machine makes everybody a peer on loopback.
public struct MetricsAddress: Equatable, Sendable {
  public var host: String
  /// 0: any that is free.
  public var port: Int

  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }
}

/// How often one key may ask.
public struct RateLimit: Equatable, Sendable {
  /// Requests that are always allowed; above 0.
  public var perSecond = 1_000.0
  /// Requests that may come at once; at least 1.
  public var burst = 5_000.0

  /// As it is unless configured.
  public init() {}
}

extension RateLimiter {
  convenience init(_ limit: RateLimit) { self.init(perSecond: limit.perSecond, burst: limit.burst) }
}
