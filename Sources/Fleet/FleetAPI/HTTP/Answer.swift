import HTTPTypes
import NIOCore

/// The answer to a request: its status, its headers, and either the whole body or a function that writes the body in
/// pieces.
public struct Answer: Sendable {
  /// The HTTP status.
  public var status: HTTPResponse.Status
  /// Headers except `Content-Length`, which is derived from the body.
  public var headers: HTTPFields
  /// The body; empty if the status allows none, or if the answer has a ``stream``.
  public var body: ByteBuffer
  /// Whether the server keeps the body in memory for another purpose. If so, the body does not count as the request's
  /// memory.
  var isShared = false
  /// Writes a body of any length in pieces; `nil` if the answer has a ``body``. Each call of `write` waits until the
  /// client has read enough. If the closure throws an error, the connection is closed, and the client detects that the
  /// body is incomplete.
  public var stream: (@Sendable (_ write: (ByteBuffer) async throws -> Void) async throws -> Void)?

  /// The length of the body that ``stream`` writes, in bytes; `nil` if it is not known in advance.
  public var streamLength: Int64?

  /// Creates an answer without a body.
  public init(status: HTTPResponse.Status) {
    self.status = status
    headers = [:]
    body = ByteBuffer()
  }

  /// Creates an answer whose body is JSON.
  public init(status: HTTPResponse.Status = .ok, json: [UInt8]) {
    self.init(status: status, type: "application/json", bytes: json)
  }

  /// Creates an answer with a body of any media type.
  public init(status: HTTPResponse.Status = .ok, type: String, bytes: [UInt8]) {
    self.status = status
    headers = [.contentType: type]
    body = ByteBuffer(bytes: bytes)
  }

  /// Creates an answer whose body is written in pieces (``stream``).
  public init(
    type: String, stream: @escaping @Sendable (_ write: (ByteBuffer) async throws -> Void) async throws -> Void
  ) {
    self.init(type: type, bytes: [])
    self.stream = stream
  }

  /// The status and all headers that are sent to the client.
  var head: HTTPResponse {
    var fields = headers
    if status != .noContent, status != .notModified { fields[.contentLength] = String(body.readableBytes) }
    if stream != nil { fields[.contentLength] = streamLength.map { String($0) } }
    fields[.date] = WallClock.now.httpDate
    fields[.cacheControl] = fields[.cacheControl] ?? "no-store"
    fields[.xContentTypeOptions] = "nosniff"
    // Answers of the API are not web pages. A browser that shows an answer must not load or execute anything.
    fields[.contentSecurityPolicy] = fields[.contentSecurityPolicy] ?? "default-src 'none'; frame-ancestors 'none'"
    fields[.referrerPolicy] = "no-referrer"
    return HTTPResponse(status: status, headerFields: fields)
  }
}

extension HTTPField.Name {
  static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}
