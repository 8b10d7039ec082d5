import FleetAPI
import FleetDomain

/// The server's own token: with it the metrics of the whole server can be read, and nothing else.
enum ServerToken {
  /// Bytes of one that nobody guesses.
  static let leastCount = 32

  /// - Parameter path: of a file with the token and perhaps a line feed.
  static func read(_ path: String) throws(Failure) -> SecretHash {
    let text = String(decoding: try FileText.readSecret(path), as: UTF8.self)
    let token = text.hasSuffix("\n") ? text.dropLast() : text[...]
    guard token.utf8.count >= leastCount, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Failure(.badConfiguration, "\(path): no token")
    }
    return Secret.hash(of: String(token))
  }
}
