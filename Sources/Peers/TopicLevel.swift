/// A vehicle's id as one level of a topic: what a gateway publishes by, and what a broker's rights are about.
///
///     fleet/VAN-001/telemetry
public enum TopicLevel {
  /// The bytes that an id may have of which nothing is replaced.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !"+#/\\\"".utf8.contains(byte)
  }

  /// Whether an id is its own level: no other id has the same one.
  ///
  /// - Parameter id: its UTF-8.
  public static func isLevel(_ id: some Collection<UInt8>) -> Bool {
    (1...128).contains(id.count) && id.allSatisfy(isPlain)
  }

  /// - Parameter id: its UTF-8.
  /// - Returns: at most 128 bytes; what would be a wildcard, another level or no printable ASCII (MQTT 5, 4.7) is `_`;
  ///   `unknown` for an id that is empty.
  public static func text(of id: some Collection<UInt8>) -> String {
    let bytes = id.prefix(128).map { isPlain($0) ? $0 : UInt8(ascii: "_") }
    return bytes.isEmpty ? "unknown" : String(decoding: bytes, as: UTF8.self)
  }
}
