import Crypto
import FleetDomain
import Telemetry

/// A request to an S3-compatible storage.
struct S3Request: Sendable {
  enum Method: String, Sendable {
    case get = "GET"
    case put = "PUT"
    case post = "POST"
    case delete = "DELETE"
  }

  var method: Method
  /// The key with its prefix; empty for the bucket itself.
  var key: String
  /// Parameters of the query, not escaped yet.
  var query: [(name: String, value: String)] = []
  /// Further headers, with names in lower case.
  var headers: [(name: String, value: String)] = []
  var body: [UInt8] = []
  /// Maximum length of the answer, bytes.
  var longest = 1 << 20

  /// The query, sorted and escaped as signatures need it.
  var encodedQuery: String {
    query.map { (PercentCoding.encode($0.name), PercentCoding.encode($0.value)) }.sorted { $0 < $1 }
      .map { "\($0)=\($1)" }.joined(separator: "&")
  }

  /// The lines of all headers, including the signature (AWS Signature Version 4).
  ///
  /// libcurl 7.88, which Debian 12 has, does not sign all headers and does not sort the query, so that the signature is
  /// computed here.
  func signedHeaders(for bucket: S3Bucket, at now: Timestamp) -> [String] {
    let time = Self.time(now)
    let day = String(time.prefix(8))
    // The storage refuses a body that has another SHA-256.
    let bodyHash = Hexadecimal.text(Array(SHA256.hash(data: body)))
    let signed = (headers + [("host", bucket.host), ("x-amz-content-sha256", bodyHash), ("x-amz-date", time)])
      .sorted { $0.0 < $1.0 }
    let names = signed.map(\.0).joined(separator: ";")
    let request = [
      method.rawValue, bucket.path(key), encodedQuery, signed.map { "\($0.0):\($0.1)\n" }.joined(), names, bodyHash,
    ].joined(separator: "\n")
    let scope = "\(day)/\(bucket.region)/s3/aws4_request"
    let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n" + Hexadecimal.text(Array(SHA256.hash(data: Array(request.utf8))))
    var key = Array("AWS4\(bucket.secretKey)".utf8)
    for part in [day, bucket.region, "s3", "aws4_request"] { key = Self.code(part, key) }
    let signature = Hexadecimal.text(Self.code(text, key))
    return signed.map { "\($0.0): \($0.1)" } + [
      "Authorization: AWS4-HMAC-SHA256 Credential=\(bucket.accessKey)/\(scope), SignedHeaders=\(names), Signature=\(signature)",
      // libcurl would add other values.
      "Content-Type: application/octet-stream", "Expect:", "Accept:",
    ]
  }

  private static func code(_ text: String, _ key: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: key)))
  }

  /// A time as `20260504T100000Z`.
  private static func time(_ now: Timestamp) -> String {
    let text = now.text
    var digits = ""
    for index in 0..<19 where text[index] != UInt8(ascii: "-") && text[index] != UInt8(ascii: ":") {
      digits.unicodeScalars.append(Unicode.Scalar(text[index]))
    }
    return digits + "Z"
  }
}
