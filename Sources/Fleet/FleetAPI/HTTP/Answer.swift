import HTTPTypes
import NIOCore

/// What goes back: status, headers, and a body that is whole in memory.
public struct Answer: Sendable {
  /// The HTTP status.
  public var status: HTTPResponse.Status
  /// Headers besides `Content-Length`, which follows from the body.
  public var headers: HTTPFields
  /// Empty where the status has none.
  public var body: ByteBuffer

  /// An answer without a body.
  public init(status: HTTPResponse.Status) {
    self.status = status
    headers = [:]
    body = ByteBuffer()
  }

  /// An answer whose body is JSON.
  public init(status: HTTPResponse.Status = .ok, json: [UInt8]) {
    self.init(status: status, type: "application/json", bytes: json)
  }

  /// An answer with any body.
  public init(status: HTTPResponse.Status = .ok, type: String, bytes: [UInt8]) {
    self.status = status
    headers = [.contentType: type]
    body = ByteBuffer(bytes: bytes)
  }

  /// The head as it is sent.
  var head: HTTPResponse {
    var fields = headers
    if status != .noContent, status != .notModified { fields[.contentLength] = String(body.readableBytes) }
    fields[.cacheControl] = fields[.cacheControl] ?? "no-store"
    fields[.xContentTypeOptions] = "nosniff"
    return HTTPResponse(status: status, headerFields: fields)
  }
}
