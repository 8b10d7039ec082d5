import Foundation

/// Certificates for one test, made by openssl: an authority, and certificates that it has signed.
public final class Certificates: Sendable {
  /// The folder with the files.
  public let scratch: ScratchFolder

  /// Creates the authority.
  ///
  /// - Throws: an error if openssl is not installed.
  public init() throws {
    scratch = try ScratchFolder()
    try scratch.write(
      "ca.conf",
      """
      [ca]
      default_ca = this
      [this]
      database = \(scratch.file("index"))
      new_certs_dir = \(scratch.path)
      serial = \(scratch.file("serial"))
      default_md = sha256
      policy = any
      copy_extensions = copy
      unique_subject = no
      [any]
      commonName = supplied
      """)
    try scratch.write("index", "")
    try scratch.write("serial", "01")
    try run([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
      "/CN=test ca",
      "-keyout", scratch.file("ca.key"), "-out", authority,
    ])
  }

  /// The path of the authority's own certificate.
  public var authority: String { scratch.file("ca.pem") }

  /// Creates a certificate and its key, and returns the paths of both.
  ///
  /// - Parameter name: the names in the certificate, for example `DNS:localhost,IP:127.0.0.1`.
  public func make(_ file: String, for name: String, isExpired: Bool = false) throws -> (
    certificate: String, key: String
  ) {
    let (certificate, key) = (scratch.file(file + ".pem"), scratch.file(file + ".key"))
    try run([
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(file)", "-addext",
      "subjectAltName=\(name)", "-keyout", key, "-out", scratch.file(file + ".csr"),
    ])
    let dates = isExpired ? ["200101000000Z", "210101000000Z"] : ["200101000000Z", "491231235959Z"]
    try run([
      "ca", "-batch", "-notext", "-config", scratch.file("ca.conf"), "-cert", authority, "-keyfile",
      scratch.file("ca.key"),
      "-in", scratch.file(file + ".csr"), "-out", certificate, "-startdate", dates[0], "-enddate", dates[1],
    ])
    return (certificate, key)
  }

  /// Writes a new certificate for 127.0.0.1 to another folder, as `NAME.pem` and `NAME.key`.
  public func write(_ name: String, in folder: borrowing ScratchFolder) throws {
    let made = try make(name, for: "IP:127.0.0.1")
    for (path, end) in [(made.certificate, ".pem"), (made.key, ".key")] {
      try FileManager.default.copyItem(atPath: path, toPath: folder.file(name + end))
    }
  }

  private func run(_ arguments: [String]) throws {
    let result = try Tool.run("openssl", arguments)
    guard result.status == 0 else { throw Tool.Failure.system("openssl", reason: result.errors) }
  }
}
