import NIOSSL

/// The server's certificate and private key, which were read from PEM files.
public struct ServerTLSFiles: Equatable, Sendable {
  /// The reason why the two files cannot be used.
  public enum Fault: Error, Equatable, Sendable {
    /// The first file contains no certificate in PEM form.
    case noCertificate
    /// The second file does not contain an unencrypted private key in PEM form.
    case noKey
    /// The key does not belong to the certificate.
    case otherKey
    /// The TLS library rejects the certificate and the key. The value is the library's message.
    case refused(String)
  }

  /// The path of the file with the server's own certificate, followed by the certificates of the authorities that
  /// issued it, up to the root.
  public let certificate: String
  /// The path of the file with the private key.
  public let key: String
  private let chain: [NIOSSLCertificate]
  private let privateKey: NIOSSLPrivateKey

  /// Parses the certificate and the key, and checks that they match.
  ///
  /// - Parameters:
  ///   - certificate: the path and the content of the certificate's file.
  ///   - key: the path and the content of the key's file.
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
    // Configure TLS in the same way as the server does, so that the library checks whether certificate and key match.
    do {
      _ = try NIOSSLContext(configuration: configuration)
    } catch NIOSSLError.failedToLoadPrivateKey {
      throw .otherKey
    } catch {
      throw .refused("\(error)")
    }
  }

  /// The TLS settings of the server. It accepts TLS 1.2 and later versions.
  var configuration: TLSConfiguration {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    return configuration
  }
}
