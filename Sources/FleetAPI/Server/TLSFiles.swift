import NIOSSL

/// Certificate and key, as PEM files.
public struct TLSFiles: Equatable, Sendable {
  /// The server's certificate, then those between it and the root.
  public var certificate: String
  public var key: String

  /// - Parameters: paths.
  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }

  /// TLS 1.2 and up.
  func configuration() throws(ServerStartError) -> TLSConfiguration {
    let chain: [NIOSSLCertificateSource]
    do {
      chain = try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) }
    } catch {
      throw ServerStartError(.badConfiguration, "\(certificate): no certificate in PEM form can be read from it")
    }
    let privateKey: NIOSSLPrivateKeySource
    do {
      privateKey = .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
    } catch {
      throw ServerStartError(.badConfiguration, "\(key): no private key in PEM form can be read from it")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: privateKey)
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    return configuration
  }
}
