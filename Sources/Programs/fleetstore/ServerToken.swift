import Failures
import FleetAPI
import FleetAccess
import FleetDomain

/// The server's own token, which gives access only to the metrics of the whole server.
enum ServerToken {
  /// Minimum length of the token in bytes.
  static let leastCount = 32

  /// Reads the token and returns its hash.
  ///
  /// - Parameter path: a file that contains the token, and possibly a line feed after it.
  static func read(_ path: String) throws(Failure) -> SecretHash {
    let text = String(decoding: try FileText.readSecret(path), as: UTF8.self)
    let token = text.hasSuffix("\n") ? text.dropLast() : text[...]
    guard token.utf8.count >= leastCount, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Failure(.badConfiguration, "\(path): another text")
    }
    return Secret.hash(of: String(token))
  }
}
