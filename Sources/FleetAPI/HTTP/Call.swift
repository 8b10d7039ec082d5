import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// One request on its way to the route that answers it.
struct Call: Sendable {
  let request: Request
  /// What stood in the places of the route's `{…}`, in their order, percent-encoding resolved.
  let parameters: [String]
  let query: QueryParameters
  /// Who asks; nil on routes that are open to all.
  let identity: Identity?
  let limits: ServerLimits
  let logger: Logger

  /// The body, unpacked, at most as long as `limit` or the server allows.
  ///
  /// - Throws: 413, 415, or 400 where it is cut short.
  func body(upTo limit: Int? = nil) async throws -> [UInt8] {
    let coding = try ContentCoding(field: request.headers[.contentEncoding])
    let announced = request.headers[.contentLength].flatMap { Int($0) }
    let packedLimit = min(limits.bodyBytes, limit ?? .max)
    if let announced, announced > packedLimit { throw Self.tooLong(packedLimit) }
    var unpacker = try Unpacker(coding, limit: min(limits.unpackedBytes, limit ?? .max))
    var count = 0
    for try await piece in request.body {
      count += piece.readableBytes
      guard count <= packedLimit else { throw Self.tooLong(packedLimit) }
      try unpacker.feed(piece)
    }
    // The stream of parts ends the same way whether the body was whole or the connection went away.
    if let announced, announced != count {
      throw APIError.badRequest("the body ends after \(count) of \(announced) bytes")
    }
    return try unpacker.finish()
  }

  private static func tooLong(_ limit: Int) -> APIError {
    APIError.tooLarge("the body is longer than \(limit) bytes; send less at once")
  }
}
