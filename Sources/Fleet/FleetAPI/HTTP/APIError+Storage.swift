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
    case is ChannelError, is IOError: self = .badRequest("the body was truncated")
    default:
      logger.error("a request failed: \(error)")
      self.init(.internalServerError, "internal", "the server failed; see its log")
    }
  }

  /// The error for bytes that are not HTTP/1.1.
  init(_ error: HTTPParserError) {
    self =
      switch error {
      case .headerOverflow:
        APIError(
          .requestHeaderFieldsTooLarge, "headersTooLarge",
          "the request's headers exceed limits.headerBytes")
      case .invalidEOFState: .badRequest("the body was truncated")
      default: .badRequest("not a valid HTTP/1.1 request")
      }
  }

  private init(_ error: StorageError, logger: Logger) {
    switch error.kind {
    case .notFound: self = .notFound(error.description)
    case .exists, .limitReached: self = .conflict(error.description)
    case .invalidCursor: self = .badRequest("query: cursor: \(error.detail)")
    case .invalidQuery: self = .badRequest("query: \(error.description)")
    case .positionGone:
      self.init(.gone, "positionGone", "after: changes after this number are no longer stored; read the lists again")
    case .unavailable, .full, .readOnly:
      logger.error("storage: \(error)")
      self.init(
        .serviceUnavailable, "storageUnavailable", "the storage stores nothing at the moment; try again", retryAfter: 10
      )
    case .damaged, .newerSchema, .noDatabase, .inUse, .system:
      logger.error("storage: \(error)")
      self.init(.internalServerError, "storageFailed", "the storage failed; see the server's log")
    }
  }
}
