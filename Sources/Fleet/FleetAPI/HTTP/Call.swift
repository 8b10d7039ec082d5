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
  /// What the request holds of the server's memory.
  let memory: Budget.Share
  let heavyWork: HeavyWork
  let logger: Logger

  /// The body, unpacked, at most as long as `limit` or the server allows.
  ///
  /// - Throws: 413, 415, or 400 where it is cut short; 503 where the server has no room for it.
  func body(upTo limit: Int? = nil) async throws -> [UInt8] {
    let coding = try ContentCoding(field: request.headers[.contentEncoding])
    let announced = try announcedBytes(upTo: limit)
    let packedLimit = min(limits.bodyBytes, limit ?? .max)
    var unpacker = try Unpacker(coding, limit: min(limits.unpackedBytes, limit ?? .max))
    var count = 0
    for try await var piece in request.body {
      count += piece.readableBytes
      guard count <= packedLimit else { throw Self.tooLong(packedLimit) }
      // What unpacks to much takes turns with other tenants; a permit is not held while the client is waited for.
      var permit: Budget.Share?
      repeat {
        if permit == nil, coding != .identity, unpacker.count >= HeavyWork.smallBytes {
          permit = try await heavyWork.permit(for: holder)
        }
        // For bytes that have arrived: a request that announces much and sends nothing holds nothing.
        try await memory.makeRoom(
          forBody: unpacker.count + (coding == .identity ? piece.readableBytes : Unpacker.step))
      } while try unpacker.step(&piece)
      permit?.shrink(to: 0)
    }
    // The stream of parts ends the same way whether the body was whole or the connection went away.
    if let announced, announced != count {
      throw APIError.badRequest("the body ends after \(count) of \(announced) bytes")
    }
    return try unpacker.finish()
  }

  /// Who holds what the request takes.
  var holder: Holder { identity?.holder ?? .server }

  /// Does work that keeps a processor busy.
  ///
  /// - Parameter bytes: how much there is to do.
  func heavily<Value: Sendable>(
    _ bytes: Int, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value { try await heavyWork.run(bytes, for: holder, work) }

  /// The length that the head announces; `nil` if it announces none.
  ///
  /// - Throws: 413 for a body that is too long.
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
