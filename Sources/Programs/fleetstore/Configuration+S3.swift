import CommandLineSupport
import Failures
import FleetFiles
import Glibc
import JSONText
import Peers
import Telemetry

/// The object `files.s3` of the configuration: the bucket with the contents of files.
///
///     { "url": "https://s3.example", "bucket": "fleet-files", "region": "eu-central-1", "prefix": "fleetstore/",
///       "addressing": "path", "accessKey": "…", "secretKeyFile": "s3.secret", "caFile": "ca.pem" }
extension Configuration {
  /// The name of systemd's credential with the secret key (systemd.exec(5), LoadCredential=).
  private static let secretKeyCredential = "fleetstore.s3-secret-key"

  mutating func bucket(_ object: JSONValue, folder: String) throws(JSONError) -> S3Bucket {
    var reader = try JSONObjectReader(object)
    let isInsecure = try reader.optionalBool("insecure") ?? false
    let address = try reader.required("url")
    guard let url = ServiceURL(try address.requireString(), schemes: [("https", 443), ("http", 80)]) else {
      throw address.invalid(expected: "https://HOST of the storage, without the bucket")
    }
    guard url.scheme == "https" || url.isLoopback || isInsecure else {
      throw address.invalid(
        expected: "https://, because files could be read on the way; or \"insecure\": true beside it",
        found: "http:// to another machine")
    }
    let name = try reader.required("bucket")
    guard S3Bucket.isName(try name.requireString()) else {
      throw name.invalid(expected: "3 to 63 characters of a-z, 0-9, dot and hyphen")
    }
    var bucket = S3Bucket(url: url, name: try name.requireString(), region: "us-east-1")
    bucket.isInsecure = isInsecure
    if let value = reader.optional("region") {
      bucket.region = try value.requireString()
      guard (1...64).contains(bucket.region.utf8.count), bucket.region.utf8.allSatisfy({ Self.isRegionByte($0) }) else {
        throw value.invalid(expected: "the name of a region, such as eu-central-1")
      }
    }
    if let value = reader.optional("prefix") {
      bucket.prefix = try value.requireString()
      guard S3Bucket.isPrefix(bucket.prefix) else {
        throw value.invalid(
          expected: "at most 200 letters, digits, dots, hyphens, underscores and slashes, without a slash at the start")
      }
    }
    let addressings = S3Bucket.Addressing.allCases.map(\.rawValue)
    if let text = try reader.optionalString("addressing", oneOf: addressings) {
      bucket.addressing = S3Bucket.Addressing(rawValue: text) ?? bucket.addressing
    }
    if let value = reader.optional("caFile") {
      bucket.authorities = try PEMFile.readCertificates(value, folder: folder).path
    }
    try readKeys(&reader, of: &bucket, object, folder)
    try reader.finish()
    return bucket
  }

  private static func isRegionByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Reads the access key and the secret key from the configuration, the environment, or systemd's credential.
  private mutating func readKeys(
    _ reader: inout JSONObjectReader, of bucket: inout S3Bucket, _ object: JSONValue, _ folder: String
  ) throws(JSONError) {
    let accessKey = reader.optional("accessKey")
    if let accessKey {
      bucket.accessKey = try accessKey.requireString()
      guard (1...128).contains(bucket.accessKey.utf8.count),
        bucket.accessKey.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
      else { throw accessKey.invalid(expected: "1 to 128 characters of ASCII without spaces") }
    } else {
      bucket.accessKey = Self.variable("AWS_ACCESS_KEY_ID")
    }
    if let value = reader.optional("secretKeyFile") {
      let path = try Self.path(value, folder)
      bucket.secretKey = try Self.secretKey(path, value)
      secretFiles.s3 = path
      guard accessKey != nil else { throw object.error(.missingKey("accessKey")) }
    } else {
      bucket.secretKey = Self.variable("AWS_SECRET_ACCESS_KEY")
      if bucket.secretKey.isEmpty, let folder = unsafe getenv("CREDENTIALS_DIRECTORY") {
        let path = unsafe String(cString: folder) + "/" + Self.secretKeyCredential
        if unsafe access(path, F_OK) == 0 { bucket.secretKey = try Self.secretKey(path, object) }
      }
    }
    guard !bucket.accessKey.isEmpty, !bucket.secretKey.isEmpty else {
      throw object.invalid(
        expected:
          "accessKey and secretKeyFile in it, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment",
        found: bucket.accessKey.isEmpty ? "no access key" : "no secret key")
    }
  }

  private static func secretKey(_ path: String, _ value: JSONValue) throws(JSONError) -> String {
    do throws(Failure) {
      return try FileText.readSecretLine(path)
    } catch {
      throw value.invalid(expected: "a file with one line that others cannot read", found: error.description)
    }
  }

  private static func variable(_ name: String) -> String {
    unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
  }

  func write(_ bucket: S3Bucket, _ line: inout JSONLineEncoder) {
    line.beginObject("s3")
    line.field("url", bucket.url.description)
    line.field("bucket", bucket.name)
    line.field("region", bucket.region)
    line.field("prefix", bucket.prefix)
    line.field("addressing", bucket.addressing.rawValue)
    line.field("accessKey", bucket.accessKey)
    line.field("secretKeyFile", secretFiles.s3)
    line.field("caFile", bucket.authorities)
    line.field("insecure", bucket.isInsecure)
    line.end()
  }
}
