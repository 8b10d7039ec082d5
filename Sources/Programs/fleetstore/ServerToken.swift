import Failures
import FleetAPI
import FleetAccess
import FleetDomain

/// The server's own token, which is only valid for the metrics of the whole server.
enum ServerToken {
  /// The minimum length in bytes.
  static let leastCount = 32

  /// - Parameter path: a file with the token and an optional line feed.
  static func read(_ path: String) throws(Failure) -> SecretHash {
    let text = String(decoding: try FileText.readSecret(path), as: UTF8.self)
    let token = text.hasSuffix("\n") ? text.dropLast() : text[...]
    guard token.utf8.count >= leastCount, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Failure(.badConfiguration, "\(path): another text")
    }
    return Secret.hash(of: String(token))
  }
}
