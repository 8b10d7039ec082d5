import Failures
import Glibc
import JSONText

/// The PEM files of a TLS connection: certificate authorities, client certificate and key.
public struct TLSFiles: Equatable, Sendable {
  /// Path of the file with the accepted certificate authorities; `nil` for the authorities of the system.
  public var authorities: String?
  /// Path of the client's certificate; `nil` if there is no client certificate.
  public var certificate: String?
  /// Path of the key of the client's certificate; `nil` if there is no client certificate.
  public var key: String?

  /// Creates a value without files: the system's authorities are accepted, and the client has no certificate.
  public init() {}

  /// Reads an object such as `{ "caFile": "ca.pem", "certificateFile": "client.pem", "keyFile": "client.key" }`.
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
  /// Returns the error that explains why the file of authorities cannot be used; `nil` if no such file is configured.
  ///
  /// - Parameters:
  ///   - place: address of the server or broker, for the message.
  ///   - reason: the message of the TLS library.
  func troubleWithAuthorities(_ place: String, _ reason: String) -> SinkError? {
    guard let authorities else { return nil }
    return Self.unreadable(authorities, "caFile", place)
      ?? SinkError(.badTLSFile, authorities, "the \"caFile\" for \(place) contains no PEM certificate: \(reason)")
  }

  /// Returns the error that explains why the client's certificate cannot be used; `nil` if none is configured.
  func troubleWithCertificate(_ place: String, _ reason: String) -> SinkError? {
    guard let certificate, let key else { return nil }
    return Self.unreadable(certificate, "certificateFile", place) ?? Self.unreadable(key, "keyFile", place)
      ?? SinkError(
        .badTLSFile, certificate,
        "the \"certificateFile\" for \(place) is not a PEM certificate, or does not match its \"keyFile\" \(key): \(reason)"
      )
  }

  /// Returns the error for the first TLS file that cannot be read; `nil` if all can be read.
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
