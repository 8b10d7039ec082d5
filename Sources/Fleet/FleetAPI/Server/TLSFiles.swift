import NIOSSL

/// The server's certificate and its key, as they were read from their PEM files.
public struct TLSFiles: Equatable, Sendable {
  /// Why the two files are no use to a server.
  public enum Fault: Error, Equatable, Sendable {
    /// No certificate in PEM form stands in the first.
    case noCertificate
    /// No private key in PEM form, without a passphrase, stands in the second.
    case noKey
    /// The key is another certificate's.
    case otherKey
    /// Together they are refused; the library's own word for it.
    case refused(String)
  }

  /// Where the certificate was read: the server's own, then those between it and the root.
  public let certificate: String
  /// Where the key was read.
  public let key: String
  private let chain: [NIOSSLCertificate]
  private let privateKey: NIOSSLPrivateKey

  /// - Parameters:
  ///   - certificate: the path, and what the file holds.
  ///   - key: likewise.
  public init(certificate: (path: String, text: [UInt8]), key: (path: String, text: [UInt8])) throws(Fault) {
    (self.certificate, self.key) = (certificate.path, key.path)
    do {
      // NIOSSL takes no empty text.
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
    // What the server would do with them: it is the library that knows whether they fit.
    do {
      _ = try NIOSSLContext(configuration: configuration)
    } catch NIOSSLError.failedToLoadPrivateKey {
      throw .otherKey
    } catch {
      throw .refused("\(error)")
    }
  }

  /// TLS 1.2 and up.
  var configuration: TLSConfiguration {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    return configuration
  }
}
