/// A vehicle's id as one level of a topic: what a gateway publishes by, and what a broker's rights are about.
///
///     fleet/VAN-001/telemetry
public enum TopicLevel {
  /// - Parameter id: its UTF-8.
  /// - Returns: at most 128 bytes; what would be a wildcard, another level or no printable ASCII (MQTT 5, 4.7) is `_`;
  ///   `unknown` for an id that is empty.
  public static func text(of id: some Collection<UInt8>) -> String {
    let isPlain = { (byte: UInt8) in byte > 0x20 && byte < 0x7F && !"+#/\\\"".utf8.contains(byte) }
    let bytes = id.prefix(128).map { isPlain($0) ? $0 : UInt8(ascii: "_") }
    return bytes.isEmpty ? "unknown" : String(decoding: bytes, as: UTF8.self)
  }
}
