import NIOCore

/// What one client may take of the server. Times in seconds, sizes in bytes.
public struct ServerLimits: Equatable, Sendable {
  /// For a request's head, for taking an answer, and from one request to the next.
  public var idleSeconds = 60
  /// From the head of a request to the end of its body.
  public var requestSeconds = 30
  /// For the rest of a body whose request is answered already; never longer than ``requestSeconds``.
  var lingeringSeconds = 5
  /// All headers of a request together.
  public var headerBytes = 16 << 10
  /// A body that is one JSON object, as it is sent and once it is unpacked.
  static let objectBytes = 1 << 20
  /// A body as it is sent.
  public var bodyBytes = 8 << 20
  /// A body once it is unpacked.
  public var unpackedBytes = 32 << 20
  /// Bytes of one page of a list; the last piece of a page may go beyond it by some.
  public var pageBytes = 8 << 20
  /// What all requests and live connections hold together; a tenant and a key have a part of it (``Budget``). A body is
  /// reckoned at four times its unpacked length.
  public var memoryBytes = 256 << 20
  /// Questions that the database answers at the same time: one less than it has connections for them.
  public var questions = 3
  /// For a place among them.
  var questionSeconds = 10
  /// Records in one `POST /api/telemetry`.
  public var batchRecords = 20_000
  /// Connections at the same time; an address, a tenant and a key have a part of them.
  public var connections = 20_000
  /// For requests that are being answered when the server is told to stop.
  public var stopSeconds = 2

  /// As they are unless configured.
  public init() {}
}
