import Glibc
import JSONText
import Ports

/// Certificates of a connection, as PEM files.
public struct TLSFiles: Equatable, Sendable {
  /// Authorities that the server's certificate may come from, in place of the system's.
  public var authorities: String?
  /// Our own certificate, and its key.
  public var certificate: String?
  public var key: String?

  public init() {}

  /// `{ "caFile": "ca.pem", "certificateFile": "client.pem", "keyFile": "client.key" }`
  init(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) {
    authorities = try reader.optionalPath("caFile", folder: folder)
    certificate = try reader.optionalPath("certificateFile", folder: folder)
    key = try reader.optionalPath("keyFile", folder: folder)
    if key != nil, certificate == nil { _ = try reader.required("certificateFile") }
    if key == nil, certificate != nil { _ = try reader.required("keyFile") }
    try reader.finish()
  }
}

extension TLSFiles {
  /// Why the authorities cannot be used; nil: they are the system's.
  ///
  /// - Parameters:
  ///   - place: the peer's address.
  ///   - reason: the library's words.
  func troubleWithAuthorities(_ place: String, _ reason: String) -> SinkError? {
    guard let authorities else { return nil }
    return Self.unreadable(authorities, "caFile", place)
      ?? SinkError(.badTLSFile, authorities, "the \"caFile\" for \(place) holds no certificate in PEM: \(reason)")
  }

  /// Why our own certificate cannot be used; nil: there is none.
  func troubleWithCertificate(_ place: String, _ reason: String) -> SinkError? {
    guard let certificate, let key else { return nil }
    return Self.unreadable(certificate, "certificateFile", place) ?? Self.unreadable(key, "keyFile", place)
      ?? SinkError(
        .badTLSFile, certificate,
        "the \"certificateFile\" for \(place) is none in PEM, or does not belong to its \"keyFile\" \(key): \(reason)")
  }

  /// Which of them cannot be read; nil: each can.
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
