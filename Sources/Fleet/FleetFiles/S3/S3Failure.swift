import FleetDomain

/// An answer of the storage that reports an error.
struct S3Failure: CustomStringConvertible {
  let status: Int
  /// The code of the error, such as `NoSuchKey`; empty if the answer has none.
  let code: String
  private let message: String

  init(status: Int, body: [UInt8]) {
    self.status = status
    let error = (try? XMLReader.parse(body)).flatMap { $0.name == "error" ? $0.content : nil }
    code = Self.plain(error?["code"]?.textValue ?? "", 64)
    message = Self.plain(error?["message"]?.textValue ?? "", 200)
  }

  /// The text without characters that are not visible, shortened.
  private static func plain(_ text: String, _ longest: Int) -> String {
    String(decoding: text.utf8.prefix(longest).filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
  }

  /// Whether another attempt may succeed.
  var isTemporary: Bool {
    status == 429 || status >= 500 && status != 501
      || ["RequestTimeout", "SlowDown", "OperationAborted", "BadDigest", "XAmzContentSHA256Mismatch", "InternalError"]
        .contains(code)
  }

  var description: String {
    "answered \(status)" + (code.isEmpty ? "" : " \(code)") + (message.isEmpty ? "" : ": \(message)")
  }

  /// The error for the caller, with the remedy.
  func error(_ request: S3Request, _ bucket: S3Bucket) -> FileError {
    let place = "\(bucket)"
    switch (status, code) {
    case (404, "NoSuchBucket"):
      return .system("\(place): this bucket does not exist: make it, or correct files.s3.bucket")
    case (404, _): return .missing(request.key.isEmpty ? place : request.key)
    case (403, "RequestTimeTooSkewed"):
      return .system("\(place): this machine's clock differs from that of the storage: set the clock (\(message))")
    case (403, "SignatureDoesNotMatch"):
      return .system("\(place): the secret key does not belong to the access key (\(description))")
    case (403, "InvalidAccessKeyId"): return .system("\(place): the access key does not exist (\(description))")
    case (403, _):
      return .system(
        "\(place): access is denied: the keys need the right to list, read, write and remove (\(description))")
    case (300..<400, _), (_, "AuthorizationHeaderMalformed"):
      return .system(
        "\(place): the bucket is in another region: correct files.s3.region or files.s3.url (\(description))")
    default: return .system("\(place): \(description)")
    }
  }
}
