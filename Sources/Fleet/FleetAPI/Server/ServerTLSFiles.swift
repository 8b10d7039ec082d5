import NIOSSL

/// The server's certificate and key, read from PEM files.
public struct ServerTLSFiles: Equatable, Sendable {
  /// The reason why the two files cannot be used.
  public enum Fault: Error, Equatable, Sendable {
    /// The first file contains no certificate in PEM form.
    case noCertificate
    /// The second file contains no private key in PEM form without a passphrase.
    case noKey
    /// The key belongs to another certificate.
    case otherKey
    /// The TLS library refuses the pair, with its message.
    case refused(String)
  }

  /// The path of the certificate: the server's own first, then those up to the root.
  public let certificate: String
  /// The path of the key.
  public let key: String
  private let chain: [NIOSSLCertificate]
  private let privateKey: NIOSSLPrivateKey

  /// - Parameters:
  ///   - certificate: the path and the content of the file.
  ///   - key: the same.
  public init(certificate: (path: String, text: [UInt8]), key: (path: String, text: [UInt8])) throws(Fault) {
    (self.certificate, self.key) = (certificate.path, key.path)
    do {
      // NIOSSL does not accept an empty text.
      chain = try certificate.text.isEmpty ? [] : NIOSSLCertificate.fromPEMBytes(certificate.text)
    } catch {
      throw .noCertificate
    }
    guard !chain.isEmpty else { throw .noCertificate }
    guard !key.text.isEmpty else { throw .noKey }
    do {
      privateKey = try NIOSSLPrivateKey(bytes: key.text, format: .pem)
    } catch {
      throw .noKey
    }
    // Configure TLS in the same way as the server: the library checks whether certificate and key match.
    do {
      _ = try NIOSSLContext(configuration: configuration)
    } catch NIOSSLError.failedToLoadPrivateKey {
      throw .otherKey
    } catch {
      throw .refused("\(error)")
    }
  }

  /// TLS 1.2 or later.
  var configuration: TLSConfiguration {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    return configuration
  }
}
