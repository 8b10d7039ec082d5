import FleetAccess
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// A request with everything that the code of a route needs to answer it.
struct Call: Sendable {
  let request: Request
  /// The values of the parameters `{…}` of the route's path, in order, percent-decoded.
  let parameters: [String]
  var query: QueryParameters
  /// The sender; `nil` if the request has no key. Only routes that require no authentication accept such a request.
  let identity: Identity?
  /// The things for which the sender has the permission that the route requires; `nil` if the route requires none.
  private(set) var reach: Reach?
  /// The area of the permission that the route requires; `nil` if it requires none.
  let area: Area?
  /// The client from which the request comes.
  let client: Client
  let limits: ServerLimits
  /// The route's own limit for the length of the request's body, in bytes; `nil` if only the server's limit applies.
  let routeBodyLimit: Int?
  /// The part of the server's memory that this request holds.
  let memory: Budget.Share
  let heavyWork: HeavyWork
  /// Checks that the request's key is still valid. Throws 401 if it was revoked.
  let checkKey: @Sendable () async throws -> Void
  let logger: Logger
  /// Returns whether the connection of the request still exists. Heavy work ends early if it does not.
  var isConnected: @Sendable () -> Bool = { true }

  /// Returns this call with the reach of another permission, in place of the permission that the route requires.
  ///
  /// - Throws: 403 if the sender does not have this permission for any thing.
  func requiring(_ action: Action, _ area: Area) throws(APIError) -> Call {
    guard let identity else { return self }
    var call = self
    let reach = Reach(of: identity.requester, to: action, area)
    guard !reach.isEmpty else { throw .forbidden(reach.reason) }
    call.reach = reach
    return call
  }

  /// Receives the body and returns it decompressed.
  ///
  /// - Throws: 413 if the body is longer than the route or the server allows; 415 if its coding is unknown; 400 if it
  ///   is truncated; 503 if the server has not enough memory; 401 if the key was revoked before the body was complete.
  func body() async throws -> [UInt8] {
    let coding = try ContentCoding(field: request.headers[.contentEncoding])
    let announced = try announcedBytes()
    var unpacker = try Unpacker(coding, limit: min(limits.unpackedBytes, routeBodyLimit ?? .max))
    var count = 0
    for try await var piece in request.body {
      count += piece.readableBytes
      guard count <= bodyLimit else { throw Self.tooLong(bodyLimit) }
      // Decompressing a long body needs a permit. Permits are shared fairly among tenants. The request returns its
      // permit while it waits for more bytes from the client.
      var permit: Budget.Share?
      repeat {
        if permit == nil, coding != .identity, unpacker.count >= HeavyWork.smallBytes {
          permit = try await heavyWork.permit(for: holder)
        }
        // Reserve memory only for bytes that have arrived. Thus a request that announces a long body but never sends it
        // holds no memory.
        try await memory.makeRoom(
          forBody: unpacker.count + (coding == .identity ? piece.readableBytes : Unpacker.step))
        // Let other tasks run, because this task does not wait for anything else.
        if permit != nil { await Task.yield() }
      } while try unpacker.step(&piece)
      permit?.shrink(to: 0)
    }
    // The stream ends in the same way after a complete body and after a lost connection. Therefore compare the number
    // of bytes with the length in the header.
    if let announced, announced != count {
      throw APIError.badRequest("the body ends after \(count) of \(announced) bytes")
    }
    let body = try unpacker.finish()
    // The client may take long to send a body. The key of the request may have been revoked meanwhile.
    try await checkKey()
    return body
  }

  /// The maximum number of bytes that ``receive(atMost:_:)`` passes to its closure in one call.
  static let receivedBytes = 256 << 10

  /// Receives a body of any length in pieces, without keeping it in memory.
  ///
  /// - Parameters:
  ///   - most: the maximum length of the body in bytes.
  ///   - write: is called with each piece of the body.
  /// - Throws: 413 if the body is longer than `most`; 415 if it is compressed; 400 if it is truncated. Bytes that
  ///   arrived before an error were passed to `write`.
  func receive(atMost most: Int64, _ write: ([UInt8]) async throws -> Void) async throws {
    guard try ContentCoding(field: request.headers[.contentEncoding]) == .identity else {
      throw APIError(.unsupportedMediaType, "unsupportedType", "Content-Encoding: expected none")
    }
    let announced = try announcedBytes().map { Int64($0) }
    let tooLong = APIError.tooLarge("the body is longer than the \(most) bytes that are missing")
    if let announced, announced > most { throw tooLong }
    try await memory.grow(to: 2 * Self.receivedBytes)
    var (count, waiting): (Int64, [UInt8]) = (0, [])
    do {
      for try await piece in request.body {
        count += Int64(piece.readableBytes)
        guard count <= most else { throw tooLong }
        waiting.append(contentsOf: piece.readableBytesView)
        guard waiting.count >= Self.receivedBytes else { continue }
        try await write(waiting)
        waiting.removeAll(keepingCapacity: true)
      }
    } catch {
      if !waiting.isEmpty { try await write(waiting) }
      throw error
    }
    if !waiting.isEmpty { try await write(waiting) }
    // The stream ends in the same way after a complete body and after a lost connection. Therefore compare the lengths.
    if let announced, announced != count {
      throw APIError.badRequest("the body ends after \(count) of \(announced) bytes")
    }
    try await checkKey()
  }

  /// Maximum length of a body as it is sent (possibly compressed), in bytes.
  private var bodyLimit: Int {
    routeBodyLimit == ServerLimits.anyLength ? .max : min(limits.bodyBytes, routeBodyLimit ?? .max)
  }

  /// The holder to which the memory and the permits of this request are charged.
  var holder: Holder { identity?.holder ?? .server }

  /// Runs work that occupies a processor for milliseconds (``HeavyWork``).
  ///
  /// - Parameter bytes: the length of the data in bytes. For short data, the work runs on the calling thread.
  func heavily<Value: Sendable>(
    _ bytes: Int, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value { try await heavyWork.run(bytes, for: holder, isWanted: isConnected, work) }

  /// Returns the length of the body that the header `Content-Length` announces; `nil` if the request has no such
  /// header.
  ///
  /// - Throws: 413 if this length exceeds the limit.
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
