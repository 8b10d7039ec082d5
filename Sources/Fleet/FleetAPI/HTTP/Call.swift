import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// A request for the route that answers it.
struct Call: Sendable {
  let request: Request
  /// The values of the route's `{…}` in their order, percent-decoded.
  let parameters: [String]
  let query: QueryParameters
  /// The sender; `nil` on routes that are open to all.
  let identity: Identity?
  let limits: ServerLimits
  /// The memory that the request holds.
  let memory: Budget.Share
  let heavyWork: HeavyWork
  let logger: Logger

  /// Returns the decompressed body, at most as long as `limit` or the server allows.
  ///
  /// - Throws: 413; 415; 400 if the body is truncated; 503 if the server has not enough memory.
  func body(upTo limit: Int? = nil) async throws -> [UInt8] {
    let coding = try ContentCoding(field: request.headers[.contentEncoding])
    let announced = try announcedBytes(upTo: limit)
    let packedLimit = min(limits.bodyBytes, limit ?? .max)
    var unpacker = try Unpacker(coding, limit: min(limits.unpackedBytes, limit ?? .max))
    var count = 0
    for try await var piece in request.body {
      count += piece.readableBytes
      guard count <= packedLimit else { throw Self.tooLong(packedLimit) }
      // Decompressing much data takes turns with other tenants. The permit is not held while the server waits for the
      // client.
      var permit: Budget.Share?
      repeat {
        if permit == nil, coding != .identity, unpacker.count >= HeavyWork.smallBytes {
          permit = try await heavyWork.permit(for: holder)
        }
        // Only for bytes that have arrived: a request that announces much and sends nothing holds nothing.
        try await memory.makeRoom(
          forBody: unpacker.count + (coding == .identity ? piece.readableBytes : Unpacker.step))
      } while try unpacker.step(&piece)
      permit?.shrink(to: 0)
    }
    // The stream of parts ends in the same way whether the body was complete or the connection was lost.
    if let announced, announced != count {
      throw APIError.badRequest("the body ends after \(count) of \(announced) bytes")
    }
    return try unpacker.finish()
  }

  /// The holder of the memory and permits that the request takes.
  var holder: Holder { identity?.holder ?? .server }

  /// Runs work that occupies a processor.
  ///
  /// - Parameter bytes: the amount of work.
  func heavily<Value: Sendable>(
    _ bytes: Int, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value { try await heavyWork.run(bytes, for: holder, work) }

  /// The length that the head announces; `nil` if it announces none.
  ///
  /// - Throws: 413 if the body is too long.
  @discardableResult
  func announcedBytes(upTo limit: Int? = nil) throws(APIError) -> Int? {
    let announced = request.headers[.contentLength].flatMap { Int($0) }
    let packedLimit = min(limits.bodyBytes, limit ?? .max)
    if let announced, announced > packedLimit { throw Self.tooLong(packedLimit) }
    return announced
  }

  private static func tooLong(_ limit: Int) -> APIError {
    APIError.tooLarge("the body is longer than \(limit) bytes; send less at once")
  }
}
