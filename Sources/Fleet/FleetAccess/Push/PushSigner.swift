import Crypto
import FleetDomain
import Telemetry

/// The key pair that identifies this server to push services (VAPID, RFC 8292).
public struct PushSigner: Sendable {
  /// The time for which a signature is valid, s. Push services accept at most a day.
  private static let validity: Int64 = 12 * 3_600

  private let key: P256.Signing.PrivateKey

  /// Creates a new key pair.
  public init() { key = P256.Signing.PrivateKey() }

  /// Reads a private key (32 bytes); `nil` if it is not one.
  public init?(_ bytes: [UInt8]) {
    guard let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else { return nil }
    self.key = key
  }

  /// The private key, 32 bytes.
  public var secret: [UInt8] { Array(key.rawRepresentation) }

  /// The public key as browsers need it: an uncompressed point in Base64URL.
  public var publicKey: String { Base64URL.text(key.publicKey.x963Representation) }

  /// Returns the header `Authorization` of a request: a signed token (JWT, ES256), and the public key.
  ///
  /// - Parameters:
  ///   - endpoint: the address of the request.
  ///   - contact: an `https:` or `mailto:` URL with which the push service can reach the operator; `nil` if there is
  ///     none.
  /// - Returns: `nil` if the endpoint is not an HTTP URL.
  public func authorization(for endpoint: String, contact: String?, at now: Timestamp) -> String? {
    guard let origin = Self.origin(of: endpoint) else { return nil }
    var claims: [String: JSON] = [
      "aud": .text(origin), "exp": .integer(now.milliseconds / 1_000 + Self.validity),
    ]
    claims["sub"] = contact.map { .text($0) }
    let header = JSON.object(["typ": .text("JWT"), "alg": .text("ES256")])
    let signed = "\(Base64URL.text(header.canonicalBytes)).\(Base64URL.text(JSON.object(claims).canonicalBytes))"
    // Signing with a valid key does not fail.
    guard let signature = try? key.signature(for: Array(signed.utf8)) else { return nil }
    return "vapid t=\(signed).\(Base64URL.text(signature.rawRepresentation)), k=\(publicKey)"
  }

  /// Returns scheme, host and port of a URL, for example `https://push.example`; `nil` if the URL is not an HTTP
  /// address.
  private static func origin(of url: String) -> String? {
    guard let scheme = url.firstRange(of: "://"), ["https", "http"].contains(url[..<scheme.lowerBound]) else {
      return nil
    }
    let host = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return host.isEmpty ? nil : String(url[..<host.endIndex]).lowercased()
  }
}
