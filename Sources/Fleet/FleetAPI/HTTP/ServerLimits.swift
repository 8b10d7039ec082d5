import NIOCore

/// Limits for clients of the server. Times are in seconds, lengths in bytes.
public struct ServerLimits: Equatable, Sendable {
  /// Time limit for the arrival of a request's head, for the client to read an answer, and for the pause between two
  /// requests.
  public var idleSeconds = 60
  /// Replaces ``idleSeconds`` for a connection that has never sent a valid key, while almost all connections are in
  /// use; at most ``idleSeconds``.
  var hurriedSeconds = 5
  /// Time limit from a request's head to the end of its body.
  public var requestSeconds = 30
  /// Time limit for receiving the rest of a body after its request was answered; at most ``requestSeconds``.
  var lingeringSeconds = 5
  /// Maximum total length of all headers of one request.
  public var headerBytes = 16 << 10
  /// Maximum length of a body that is one JSON object, both as it is sent and after decompression.
  static let objectBytes = 1 << 20
  /// No limit, for a route that receives its body in pieces (``Call/receive(atMost:_:)``) and checks the length itself.
  static let anyLength = Int.max
  /// Maximum length of the body of a request to a route that needs no key.
  static let strangerBytes = 256 << 10
  /// Maximum length of a body as it is sent, possibly compressed.
  public var bodyBytes = 8 << 20
  /// Maximum length of a body after decompression.
  public var unpackedBytes = 32 << 20
  /// Maximum length of one page of a list. The last piece that is read for the page may exceed it (``BoundedPage``).
  public var pageBytes = 8 << 20
  /// Maximum memory for all requests and live connections together. Each tenant and key may have only a part of it
  /// (``Budget``). A body counts as four times its decompressed length.
  public var memoryBytes = 256 << 20
  /// Maximum number of list queries at the same time. It is one less than the number of database connections for
  /// queries.
  public var queries = 3
  /// Maximum time for which a query waits for its permit.
  var querySeconds = 10
  /// Maximum number of records in one `POST /api/telemetry`.
  public var batchRecords = 20_000
  /// Maximum size of a tenant's stored records (``FleetDomain/RecordSize``); `nil` for no limit. When it is reached, no
  /// more records of the tenant are stored.
  public var tenantBytes: Int64?
  /// Maximum number of journeys of a tenant that are planned: they have neither begun nor been cancelled.
  public var plannedJourneys = 100_000
  /// Maximum number of simultaneous connections. Each address, tenant and key may have only a part of this number.
  public var connections = 20_000
  /// The time for which requests in progress may continue after the server has begun to stop.
  public var stopSeconds = 2

  /// Creates the default limits.
  public init() {}
}
