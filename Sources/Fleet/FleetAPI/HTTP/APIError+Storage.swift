import FleetDomain
import HTTPTypes
import JSONText
import Logging
import NIOCore
import NIOHTTP1

extension APIError {
  /// The error as a client may see it. Details that a client must not see are logged.
  init(_ error: any Error, logger: Logger) {
    switch error {
    case let error as APIError: self = error
    case let error as StorageError: self.init(error, logger: logger)
    case let error as JSONError: self = .invalid("body: \(error.message)")
    case is CancellationError:
      self.init(.serviceUnavailable, "stopping", "the server is stopping; try again", retryAfter: 5)
    case let error as HTTPParserError: self.init(error)
    // The connection has ended: nobody reads this.
    case is ChannelError, is IOError: self = .badRequest("the body was not received whole")
    default:
      logger.error("a request failed: \(error)")
      self.init(.internalServerError, "internal", "the server failed; its log says why")
    }
  }

  /// The error for bytes that are not HTTP/1.1.
  init(_ error: HTTPParserError) {
    self =
      switch error {
      case .headerOverflow:
        APIError(
          .requestHeaderFieldsTooLarge, "headersTooLarge",
          "the request's headers are longer or more than the server takes (limits.headerBytes)")
      case .invalidEOFState: .badRequest("the body was not received whole")
      default: .badRequest("what was sent is no HTTP/1.1 request")
      }
  }

  private init(_ error: StorageError, logger: Logger) {
    switch error.kind {
    case .notFound: self = .notFound(error.description)
    case .exists, .limitReached: self = .conflict(error.description)
    case .invalidCursor: self = .badRequest("query: cursor: \(error.detail)")
    case .invalidQuery: self = .badRequest("query: \(error.description)")
    case .positionGone:
      self.init(.gone, "positionGone", "after: records behind it are not kept as news any more; read them anew")
    case .unavailable, .full, .readOnly:
      logger.error("storage: \(error)")
      self.init(
        .serviceUnavailable, "storageUnavailable", "the storage takes nothing at the moment; try again", retryAfter: 10)
    case .damaged, .newerSchema, .noDatabase, .inUse, .system:
      logger.error("storage: \(error)")
      self.init(.internalServerError, "storageFailed", "the storage failed; the server's log says why")
    }
  }
}
