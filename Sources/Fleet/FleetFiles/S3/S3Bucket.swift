import Peers

/// A bucket of an S3-compatible storage, and the credentials for it.
public struct S3Bucket: Equatable, Sendable, CustomStringConvertible {
  /// The place of the bucket's name in URLs.
  public enum Addressing: String, CaseIterable, Sendable {
    /// `https://s3.example/bucket/key`
    case path
    /// `https://bucket.s3.example/key`
    case host
  }

  /// The address of the storage, without the bucket.
  public var url: ServiceURL
  public var name: String
  public var region: String
  /// The beginning of all keys; empty, or with a slash at its end.
  public var prefix = ""
  public var addressing = Addressing.path
  public var accessKey = ""
  public var secretKey = ""
  /// PEM file with the certificate authorities to use instead of the system's; `nil` for the system's.
  public var authorities: String?
  /// Whether plain HTTP to another machine is allowed.
  public var isInsecure = false

  public init(url: ServiceURL, name: String, region: String) {
    (self.url, self.name, self.region) = (url, name, region)
  }

  /// Whether a text can be the name of a bucket: 3 to 63 characters of a-z, 0-9, dot and hyphen.
  public static func isName(_ text: String) -> Bool {
    (3...63).contains(text.utf8.count) && text.first != "." && text.first != "-" && text.last != "." && text.last != "-"
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      }
  }

  /// Whether a text can be a prefix: at most 200 characters that need no escapes in a URL, without empty parts.
  public static func isPrefix(_ text: String) -> Bool {
    text.utf8.count <= 200 && !text.hasPrefix("/") && !text.contains("//")
      && text.split(separator: "/").allSatisfy { $0 != "." && $0 != ".." }
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-._/".utf8.contains(byte)
      }
  }

  /// The host and port as in the header `Host`.
  var host: String {
    let host = url.host.contains(":") ? "[\(url.host)]" : url.host
    let standard = url.scheme == "https" ? 443 : 80
    return (addressing == .host ? name + "." : "") + host + (url.port == standard ? "" : ":\(url.port)")
  }

  /// The path of a key in URLs; an empty key is the bucket itself.
  func path(_ key: String) -> String { url.path + (addressing == .path ? "/" + name : "") + "/" + key }

  /// The URL and the bucket, without credentials.
  public var description: String { "\(url.scheme)://\(host)\(addressing == .path ? url.path + "/" + name : url.path)" }
}
