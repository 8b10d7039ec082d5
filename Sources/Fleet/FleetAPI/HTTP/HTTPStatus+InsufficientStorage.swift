import HTTPTypes

extension HTTPResponse.Status {
  /// 507 (RFC 4918, 11.5). The library does not define it.
  static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}
