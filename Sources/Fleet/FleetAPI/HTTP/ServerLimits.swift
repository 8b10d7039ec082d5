import NIOCore

/// Limits for one client. Times are in seconds, sizes in bytes.
public struct ServerLimits: Equatable, Sendable {
  /// The time for a request's head, for reading an answer, and between two requests.
  public var idleSeconds = 60
  /// The time from a request's head to the end of its body.
  public var requestSeconds = 30
  /// The time for the rest of a body whose request has already been answered; at most ``requestSeconds``.
  var lingeringSeconds = 5
  /// The total length of a request's headers.
  public var headerBytes = 16 << 10
  /// The length of a body that is one JSON object, compressed and decompressed.
  static let objectBytes = 1 << 20
  /// The length of a body as it is sent.
  public var bodyBytes = 8 << 20
  /// The length of a body after decompression.
  public var unpackedBytes = 32 << 20
  /// The length of one page of a list. The last piece of a page may exceed it.
  public var pageBytes = 8 << 20
  /// The memory of all requests and live connections. A tenant and a key may have a part of it (``Budget``). A body
  /// counts four times its decompressed length.
  public var memoryBytes = 256 << 20
  /// Queries that may take long and that the database answers at the same time: one fewer than its connections for
  /// them.
  public var queries = 3
  /// The time that a query waits for its turn.
  var querySeconds = 10
  /// The number of records in one `POST /api/telemetry`.
  public var batchRecords = 20_000
  /// The number of simultaneous connections. An address, a tenant and a key may have a part of them.
  public var connections = 20_000
  /// The time for requests in progress when the server stops.
  public var stopSeconds = 2

  /// Creates the defaults.
  public init() {}
}
