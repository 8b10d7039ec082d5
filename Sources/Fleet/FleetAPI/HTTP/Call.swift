import FleetAccess
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// A request, in the form that routes receive it.
struct Call: Sendable {
  let request: Request
  /// The values of the route's `{…}` in order, percent-decoded.
  let parameters: [String]
  let query: QueryParameters
  /// The sender; `nil` on routes that are open to all.
  let identity: Identity?
  /// The things for which the sender has the permission that the route needs; `nil` if the route does not use the
  /// permission function.
  let reach: Reach?
  /// The area of the route; `nil` if the route does not use the permission function.
  let area: Area?
  /// The origin of the request.
  let client: Client
  let limits: ServerLimits
  /// Maximum length of a body on this route in bytes; `nil` to use the limit of the server.
  let routeBodyLimit: Int?
  /// The request's share of the server's memory.
  let memory: Budget.Share
  let heavyWork: HeavyWork
  /// Checks that the key is still valid; throws 401.
  let checkKey: @Sendable () async throws -> Void
  let logger: Logger

  /// Returns the decompressed body, at most as long as the route and the server allow.
  ///
  /// - Throws: 413; 415; 400 if the body is truncated; 503 if the server has not enough memory; 401 if the key was revoked
  ///   before the body was complete.
  func body() async throws -> [UInt8] {
    let coding = try ContentCoding(field: request.headers[.contentEncoding])
    let announced = try announcedBytes()
    var unpacker = try Unpacker(coding, limit: min(limits.unpackedBytes, routeBodyLimit ?? .max))
    var count = 0
    for try await var piece in request.body {
      count += piece.readableBytes
      guard count <= bodyLimit else { throw Self.tooLong(bodyLimit) }
      // A body that expands to a large size needs a permit, which is shared fairly among tenants. The permit is not
      // held while the client sends.
      var permit: Budget.Share?
      repeat {
        if permit == nil, coding != .identity, unpacker.count >= HeavyWork.smallBytes {
          permit = try await heavyWork.permit(for: holder)
        }
        // Reserve memory only for received bytes, so that a request with a long announced body that is never sent holds
        // none.
        try await memory.makeRoom(
          forBody: unpacker.count + (coding == .identity ? piece.readableBytes : Unpacker.step))
      } while try unpacker.step(&piece)
      permit?.shrink(to: 0)
    }
    // The stream of parts ends in the same way after a complete body and after a lost connection.
    if let announced, announced != count {
      throw APIError.badRequest("the body ends after \(count) of \(announced) bytes")
    }
    let body = try unpacker.finish()
    // The key may have been revoked meanwhile, because a body may take long to arrive.
    try await checkKey()
    return body
  }

  /// Maximum length of a compressed body in bytes.
  private var bodyLimit: Int { min(limits.bodyBytes, routeBodyLimit ?? .max) }

  /// The holder of the request's memory and permits.
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
  func announcedBytes() throws(APIError) -> Int? {
    let announced = request.headers[.contentLength].flatMap { Int($0) }
    if let announced, announced > bodyLimit { throw Self.tooLong(bodyLimit) }
    return announced
  }

  private static func tooLong(_ limit: Int) -> APIError {
    APIError.tooLarge("the body is longer than \(limit) bytes; send less at once")
  }
}
