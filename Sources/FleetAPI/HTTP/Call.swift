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
  /// What the request takes of the server's memory.
  let memory: RequestMemory
  let logger: Logger

  /// The body, unpacked, at most as long as `limit` or the server allows.
  ///
  /// - Throws: 413, 415, or 400 where it is cut short; 503 where the server has no room for it.
  func body(upTo limit: Int? = nil) async throws -> [UInt8] {
    let coding = try ContentCoding(field: request.headers[.contentEncoding])
    let announced = request.headers[.contentLength].flatMap { Int($0) }
    let packedLimit = min(limits.bodyBytes, limit ?? .max)
    if let announced, announced > packedLimit { throw Self.tooLong(packedLimit) }
    // What a packed body unpacks to shows as it comes: whoever announces much and sends nothing holds little.
    let expected = coding == .identity ? announced ?? 0 : 0
    try await memory.makeRoom(forBody: min(expected + Unpacker.step, limits.unpackedBytes))
    var unpacker = try Unpacker(coding, limit: min(limits.unpackedBytes, limit ?? .max))
    var count = 0
    for try await var piece in request.body {
      count += piece.readableBytes
      guard count <= packedLimit else { throw Self.tooLong(packedLimit) }
      repeat {
        try await memory.makeRoom(forBody: unpacker.count + max(Unpacker.step, piece.readableBytes))
      } while try unpacker.step(&piece)
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
