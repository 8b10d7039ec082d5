import FleetDomain
import HTTPTypes
import JSONText
import Logging
import NIOCore
import NIOHTTP1

extension APIError {
  /// Converts any error to an error for the client. Details that a client must not see are only logged.
  init(_ error: any Error, logger: Logger) {
    switch error {
    case let error as APIError: self = error
    case let error as StorageError: self.init(error, logger: logger)
    case let error as ThingError: self.init(error, logger: logger)
    case let error as JSONError: self = .invalid("body: \(error.message)")
    case is CancellationError:
      self.init(.serviceUnavailable, "stopping", "the server is stopping; try again", retryAfter: 5)
    case let error as HTTPParserError: self.init(error)
    // The connection has ended, so no client receives this answer.
    case is ChannelError, is IOError: self = .badRequest("the body was truncated")
    default:
      logger.error("a request failed: \(error)")
      self.init(.internalServerError, "internal", "the server failed; see its log")
    }
  }

  /// Creates the error for a request that is not valid HTTP/1.1.
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

  private init(_ error: ThingError, logger: Logger) {
    switch error {
    case .notFound(let kind, let id): self = .notFound("no \(kind) \(quoted(id))")
    case .invalid(let errors):
      let first = errors.all.first.map { $0.path.isEmpty ? $0.message : "\($0.path): \($0.message)" } ?? ""
      self = .invalid("body: \(first)")
      details["fields"] = .array(
        errors.all.map { .object(["path": .text($0.path), "message": .text($0.message)]) })
    case .exists(let id): self = .conflict("\(id): this id was used for something else")
    case .duplicate(let field):
      self.init(.conflict, "duplicate", "\(field): another one has this value")
      details["fields"] = .array([.object(["path": .text(field), "message": .text("another one has this value")])])
    case .conflict(let conflict):
      self.init(
        .conflict, "conflict",
        "changed meanwhile: \(conflict.fields.map(\.key).joined(separator: ", ")); read it again, and decide")
      details["conflicts"] = .array(
        conflict.fields.map {
          .object(["field": .text($0.key), "base": $0.base, "mine": $0.mine, "theirs": $0.theirs])
        })
    case .changedMeanwhile:
      self.init(.preconditionFailed, "changedMeanwhile", "If-Match: this version is not known any more; read it again")
    case .invalidState(let state, let allowedFrom):
      self.init(
        .conflict, "invalidState", "the state is \(state); this is allowed from \(allowedFrom.joined(separator: ", "))")
      details["allowedFrom"] = .array(allowedFrom.map { .text($0) })
    case .forbidden(let reason): self = .forbidden(reason)
    case .rule(let code, let message): self.init(.conflict, code, message)
    case .storage(let error): self.init(error, logger: logger)
    }
  }

  private init(_ error: StorageError, logger: Logger) {
    switch error.kind {
    case .notFound: self = .notFound(error.description)
    case .exists, .limitReached: self = .conflict(error.description)
    case .tenantFull:
      // The text contains only figures of the client's own tenant.
      logger.warning("storage: \(error)")
      self.init(.insufficientStorage, "tenantFull", error.detail, retryAfter: 60)
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
