import Failures
import FleetAPI
import JSONText

/// Reads certificates and private keys from PEM files (RFC 7468) that the configuration names.
enum PEMFile {
  /// Reads a file with one or more certificates.
  static func readCertificates(
    _ value: JSONValue, folder: String
  ) throws(JSONError) -> (path: String, text: [UInt8]) {
    // OpenSSL has two more labels for certificates.
    try read(
      value, folder, expected: certificateExpectation,
      labels: ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]
    ) { path throws(Failure) in try FileText.read(path) }
  }

  /// Reads a file with a private key. Only its owner and group may have permission to read it.
  static func readKey(_ value: JSONValue, folder: String) throws(JSONError) -> (path: String, text: [UInt8]) {
    try read(
      value, folder, expected: keyExpectation,
      labels: ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"], FileText.readSecret)
  }

  /// Reads an object with the paths of a certificate and its key:
  /// `{ "certificate": "server.pem", "key": "server.key" }`.
  static func readPair(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) -> ServerTLSFiles {
    let own = try reader.optional("key").map { value throws(JSONError) in try readKey(value, folder: folder) }
    let certificate = try reader.requiredLast("certificate")
    let chain = try readCertificates(certificate, folder: folder)
    guard let key = reader.optional("key"), let own else { throw reader.object.error(.missingKey("key")) }
    do throws(ServerTLSFiles.Fault) {
      return try ServerTLSFiles(certificate: chain, key: own)
    } catch {
      switch error {
      case .noCertificate:
        throw certificate.invalid(expected: certificateExpectation, found: "\(chain.path) with none that can be read")
      case .noKey:
        throw key.invalid(expected: keyExpectation, found: "\(own.path) with none that can be read")
      case .otherKey:
        throw key.invalid(expected: "the key of the certificate in \(chain.path)", found: "another one in \(own.path)")
      case .refused(let reason):
        throw certificate.invalid(expected: certificateExpectation, found: "\(chain.path): \(reason)")
      }
    }
  }

  private static let certificateExpectation = "a file with certificates in PEM form"
  private static let keyExpectation =
    "a file with a private key in PEM form, without a passphrase, that others cannot read"

  /// Reads a file that contains a PEM block.
  ///
  /// - Parameter labels: the accepted labels, which follow `BEGIN` in the first line of a block.
  private static func read(
    _ value: JSONValue, _ folder: String, expected: String, labels: [String],
    _ read: (String) throws(Failure) -> [UInt8]
  ) throws(JSONError) -> (path: String, text: [UInt8]) {
    let path = try Configuration.path(value, folder)
    let text: [UInt8]
    do throws(Failure) {
      text = try read(path)
    } catch {
      throw value.invalid(expected: expected, found: error.description)
    }
    let found = String(decoding: text, as: UTF8.self)
    guard labels.contains(where: { found.contains("-----BEGIN \($0)-----") }) else {
      throw value.invalid(expected: expected, found: "\(path) without one")
    }
    return (path, text)
  }
}
