import FleetDomain
import HTTPTypes
import Telemetry

/// The reason why a request failed: an HTTP status, a code for programs, and a text for people. The text states the
/// cause, the place and the expected value.
///
///     {"error":{"code":"unknownVehicle","message":"vehicles/VAN-9: no such vehicle; see /api/vehicles"}}
public struct APIError: Error, Equatable, Sendable {
  /// The HTTP status.
  public var status: HTTPResponse.Status
  /// A code for programs. It remains the same if the message changes.
  public var code: String
  /// A text for people, without line breaks.
  public var message: String
  /// Further data for programs. The keys are `fields`, `conflicts` and `allowedFrom`.
  public var details: [String: JSON] = [:]
  /// The number of seconds that the client should wait before the next attempt (header `Retry-After`); `nil` to send no
  /// such header.
  public var retryAfter: Int?

  /// Creates an error. The parameters are the values of the properties with the same names.
  public init(_ status: HTTPResponse.Status, _ code: String, _ message: String, retryAfter: Int? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.retryAfter = retryAfter
  }

  /// The answer that reports this error to the client, in the format of all errors.
  var answer: Answer {
    var answer = Answer(status: status, json: body)
    if let retryAfter { answer.headers[.retryAfter] = String(retryAfter) }
    if status == .unauthorized { answer.headers[.wwwAuthenticate] = #"Bearer realm="fleetstore""# }
    if status == .upgradeRequired {
      // Status 426 requires this header (RFC 9110, 15.5.22; RFC 6455, 4.4).
      answer.headers[.upgrade] = "websocket"
      answer.headers[.secWebSocketVersion] = "13"
    }
    return answer
  }

  /// The body of the answer, as JSON text.
  var body: [UInt8] {
    guard details.isEmpty else {
      let members = details.merging(["code": .text(code), "message": .text(message)]) { $1 }
      return Array(JSON.object(["error": .object(members)]).canonicalText.utf8)
    }
    return JSONBody.object { line in
      line.beginObject("error")
      line.field("code", code)
      line.field("message", message)
      line.end()
    }
  }
}

extension APIError {
  /// Returns the error 400: the request cannot be parsed.
  static func badRequest(_ message: String) -> APIError { APIError(.badRequest, "badRequest", message) }
  /// Returns the error 404: the thing does not exist.
  static func notFound(_ message: String) -> APIError { APIError(.notFound, "notFound", message) }
  /// Returns the error 403: the sender has no permission.
  static func forbidden(_ message: String) -> APIError { APIError(.forbidden, "forbidden", message) }
  /// Returns the error 409: the request conflicts with the current state.
  static func conflict(_ message: String) -> APIError { APIError(.conflict, "conflict", message) }
  /// Returns the error 422: the request can be parsed, but is not valid.
  static func invalid(_ message: String) -> APIError { APIError(.unprocessableContent, "invalid", message) }
  /// Returns the error 429: the key has sent too many requests.
  static func tooMany(wait seconds: Int) -> APIError {
    APIError(
      .tooManyRequests, "tooManyRequests", "too many requests of one key; wait \(seconds) s",
      retryAfter: seconds)
  }
  /// Returns the error 413: the body is too long.
  static func tooLarge(_ message: String) -> APIError { APIError(.contentTooLarge, "tooLarge", message) }
}
