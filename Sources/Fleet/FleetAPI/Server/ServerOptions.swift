import FleetDomain

/// The settings of the server.
public struct ServerOptions: Equatable, Sendable {
  /// The host name or IP address on which the server listens.
  public var host = "127.0.0.1"
  /// The port; 0 if the system may choose any free port.
  public var port = 8_080
  /// The certificate and its key; `nil` if the server uses HTTP without TLS.
  public var tls: ServerTLSFiles?
  public var limits = ServerLimits()
  public var rate = RateLimit()
  /// The rate limit of requests without a valid key, for each client address.
  public var strangerRate = RateLimit(perSecond: 200, burst: 2_000)
  /// The rate limit, for each client address, of requests to routes that use the database but need no key, such as the
  /// sign-in.
  var signInRate = RateLimit(perSecond: 20, burst: 200)
  public var live = LiveSettings()
  /// The hash of the token with which clients may read the metrics of the whole server; `nil` if there is no such
  /// token.
  public var serverToken: SecretHash?
  /// A separate address on which every client may read the metrics of the whole server; `nil` if there is no such
  /// address.
  public var metrics: MetricsAddress?
  public var accounts = AccountSettings()
  public var files = FileSettings()
  public var proxies = TrustedProxies()
  /// Whether connectors may use addresses of this machine and of private networks.
  public var connectorsMayUsePrivate = false
  /// Whether the server logs each request.
  public var accessLog = false
  /// The number of event loops.
  public var threads = 2

  /// Creates the default options.
  public init() {}
}

/// An address on which every client may read the metrics of the whole server, without a token.
///
/// It must differ from the server's address, because the server cannot decide by the client's address who may read the
/// metrics. If a proxy on the same machine forwards requests, all clients seem to have a loopback address.
public struct MetricsAddress: Equatable, Sendable {
  public var host: String
  /// The port; 0 if the system may choose any free port.
  public var port: Int

  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }
}

/// The maximum rate of the requests with one key, or from one client address.
public struct RateLimit: Equatable, Sendable {
  /// The sustained rate, in requests per second; above 0.
  public var perSecond = 1_000.0
  /// The number of requests that may arrive together after a pause; at least 1.
  public var burst = 5_000.0

  /// Creates the default limit of a key.
  public init() {}

  init(perSecond: Double, burst: Double) {
    self.perSecond = perSecond
    self.burst = burst
  }
}

extension RateLimiter {
  convenience init(_ limit: RateLimit) { self.init(perSecond: limit.perSecond, burst: limit.burst) }
}
