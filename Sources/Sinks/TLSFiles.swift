import JSONText

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
