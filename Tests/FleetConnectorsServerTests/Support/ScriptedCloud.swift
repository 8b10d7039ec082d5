import FleetDomain
import FleetProviders
import Synchronization

@testable import FleetConnectors

/// A cloud that answers each address with given answers, the last of which is repeated.
final class ScriptedCloud: ConnectorTransport {
  struct Sent: Equatable, Sendable {
    let url: String
    let authorization: String
    let body: String
  }

  private let script: Mutex<[String: [ProviderClient.Answer]]>
  private let log = Mutex<[Sent]>([])

  /// - Parameter script: answers by address. An address that is not in it is answered with 404.
  init(_ script: [String: [ProviderClient.Answer]]) { self.script = Mutex(script) }

  var sent: [Sent] { log.withLock { $0 } }

  func send(_ request: ProviderClient.Request) async throws(ProviderFailure) -> ProviderClient.Answer {
    let authorization = request.headers.first { $0.hasPrefix("Authorization: ") }?.dropFirst(15) ?? ""
    log.withLock {
      $0.append(
        Sent(
          url: request.url, authorization: String(authorization),
          body: String(decoding: request.body ?? [], as: UTF8.self)))
    }
    return script.withLock { script in
      guard var answers = script[request.url], let answer = answers.first else { return .init(status: 404, body: []) }
      if answers.count > 1 { answers.removeFirst() }
      script[request.url] = answers
      return answer
    }
  }
}

extension ProviderClient.Answer {
  static func ok(_ text: String) -> Self { Self(status: 200, body: Array(text.utf8)) }
  static func error(_ status: Int, _ text: String = "{}", retryAfter: String = "") -> Self {
    Self(status: status, body: Array(text.utf8), retryAfter: retryAfter)
  }
}

/// Tokens in memory.
final class MemoryTokens: TokenStore {
  private let stored: Mutex<ConnectorTokens>
  private let history = Mutex<[ConnectorTokens]>([])

  init(_ tokens: ConnectorTokens = ConnectorTokens()) { stored = Mutex(tokens) }

  var all: [ConnectorTokens] { history.withLock { $0 } }

  func tokens() async throws(ConnectorError) -> ConnectorTokens { stored.withLock { $0 } }

  func store(_ tokens: ConnectorTokens) async throws(ConnectorError) {
    stored.withLock { $0 = tokens }
    history.withLock { $0.append(tokens) }
  }
}
