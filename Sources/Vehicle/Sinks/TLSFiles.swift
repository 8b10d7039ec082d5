import Failures
import Glibc
import JSONText

/// The PEM files of a TLS connection.
public struct TLSFiles: Equatable, Sendable {
  /// Path of the file with the certificate authorities to accept; `nil` for those of the system.
  public var authorities: String?
  /// Paths of the client's certificate and key; either both or none is `nil`.
  public var certificate: String?
  public var key: String?

  /// Creates a value without files: the system's authorities are accepted, and there is no client certificate.
  public init() {}

  /// Reads `{ "caFile": "ca.pem", "certificateFile": "client.pem", "keyFile": "client.key" }`.
  init(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) {
    authorities = try reader.optionalPath("caFile", folder: folder)
    certificate = try reader.optionalPath("certificateFile", folder: folder)
    key = try reader.optionalPath("keyFile", folder: folder)
    try reader.finish()
    if key != nil, certificate == nil { _ = try reader.required("certificateFile") }
    if key == nil, certificate != nil { _ = try reader.required("keyFile") }
  }
}

extension TLSFiles {
  /// Explains why the configured file of authorities cannot be used; `nil` if none is configured.
  ///
  /// - Parameters:
  ///   - place: address of the server or broker.
  ///   - reason: the message of the TLS library.
  func troubleWithAuthorities(_ place: String, _ reason: String) -> SinkError? {
    guard let authorities else { return nil }
    return Self.unreadable(authorities, "caFile", place)
      ?? SinkError(.badTLSFile, authorities, "the \"caFile\" for \(place) contains no PEM certificate: \(reason)")
  }

  /// Explains why the client's certificate cannot be used; `nil` if none is configured.
  func troubleWithCertificate(_ place: String, _ reason: String) -> SinkError? {
    guard let certificate, let key else { return nil }
    return Self.unreadable(certificate, "certificateFile", place) ?? Self.unreadable(key, "keyFile", place)
      ?? SinkError(
        .badTLSFile, certificate,
        "the \"certificateFile\" for \(place) is not a PEM certificate, or does not match its \"keyFile\" \(key): \(reason)"
      )
  }

  /// Returns the error about the first file that cannot be read; `nil` if all can be read.
  func unreadable(_ place: String) -> SinkError? {
    [(authorities, "caFile"), (certificate, "certificateFile"), (key, "keyFile")].lazy
      .compactMap { path, name in path.flatMap { Self.unreadable($0, name, place) } }.first
  }

  private static func unreadable(_ path: String, _ name: String, _ place: String) -> SinkError? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor < 0 else {
      close(descriptor)
      return nil
    }
    return SinkError(.badTLSFile, path, "the \"\(name)\" for \(place) cannot be read: \(systemReason(errno))")
  }
}
