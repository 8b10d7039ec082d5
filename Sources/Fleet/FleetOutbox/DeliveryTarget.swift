import FleetAccess
import FleetDomain
import FleetMessages
import FleetProviders
import FleetWork
import Peers
import Telemetry

/// A receiver of deliveries: its URL, and the keys that sign or encrypt the requests to it.
enum DeliveryTarget: Sendable {
  case webhook(url: String, WebhookSignature)
  case push(url: String, PushEncryption, PushSigner)
  /// Nothing can be sent to this receiver, until a person corrects the problem. The value describes the problem.
  case unusable(String)

  /// Returns the HTTP request that sends a delivery; `nil` if nothing can be sent.
  func request(_ delivery: Stored<Delivery>, contact: String?, at now: Timestamp) -> ProviderClient.Request? {
    let body = Array(delivery.value.body.utf8)
    switch self {
    case .webhook(let url, let signature):
      return .init(url, headers: signature.headers(body, id: delivery.value.eventID.string, at: now), body: body)
    case .push(let url, let encryption, let signer):
      guard let sealed = encryption.seal(body),
        let authorization = signer.authorization(for: url, contact: contact, at: now)
      else { return nil }
      let left = max(delivery.value.expiresAt.milliseconds - now.milliseconds, 0) / 1_000
      return .init(
        url,
        headers: [
          "Authorization: \(authorization)", "TTL: \(left)",
          "Urgency: \(PushText.urgency(of: delivery.value.event))",
          // A push service replaces a message that it has not delivered yet by a newer message with the same topic.
          "Topic: \(delivery.value.thing.string.replacing("-", with: ""))", "Content-Encoding: aes128gcm",
          "Content-Type: application/octet-stream",
        ], body: sealed)
    case .unusable: return nil
    }
  }
}

/// Interprets a receiver's answer to a delivery.
enum DeliveryAnswer {
  /// The number of consecutive deliveries that a receiver must reject before nothing is sent to it for some time.
  private static let patience: Int64 = 5

  /// Whether a status means that the receiver no longer exists.
  static func isGone(_ status: Int64?, _ channel: Delivery.Channel) -> Bool {
    status == 410 || channel == .push && status == 404
  }

  /// Returns the result of an attempt to send a delivery.
  ///
  /// - Parameters:
  ///   - failures: the number of consecutive failures of the receiver before this answer.
  static func attempt(
    _ answer: Result<ProviderClient.Answer, ProviderFailure>, _ delivery: Delivery, failures: Int64, duration: Int64
  ) -> DeliveryAttempt {
    let pause = RetryDelay.events.seconds(after: failures + 1)
    switch answer {
    case .failure(let failure):
      return DeliveryAttempt(
        .unavailable(seconds: pause), status: nil, duration: duration, error: failure.description)
    case .success(let answer):
      let status = Int64(answer.status)
      let result: DeliveryResult
      switch answer.status {
      case 200..<300: return DeliveryAttempt(.delivered, status: status, duration: duration, error: nil)
      case 413 where delivery.channel == .push: result = .failed
      case 408, 425, 429, 502, 503, 504:
        let asked = RetryAfter.nanoseconds(answer.retryAfter, date: answer.date) ?? 0
        result = .unavailable(seconds: max(pause, min(Int(asked / 1_000_000_000), DeliveryLimits.seconds)))
      default:
        result =
          failures + 1 >= patience
          ? .unavailable(seconds: RetryDelay.events.seconds(after: failures + 2 - patience))
          : .refused(seconds: RetryDelay.events.seconds(after: delivery.attempts))
      }
      let reason = (300..<400).contains(answer.status) ? ": redirects are not followed" : ""
      return DeliveryAttempt(result, status: status, duration: duration, error: "status \(answer.status)\(reason)")
    }
  }
}
