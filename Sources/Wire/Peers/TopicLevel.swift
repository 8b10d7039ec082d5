/// Converts a vehicle ID to one level of an MQTT topic, such as `VAN-001` in the topic below. Gateways publish to this
/// topic, and the access rules of brokers refer to it.
///
///     fleet/VAN-001/telemetry
public enum TopicLevel {
  /// Whether a byte of an ID is kept unchanged in the topic.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !"+#/\\\"".utf8.contains(byte)
  }

  /// Whether an ID is kept unchanged in the topic, so that no other ID has the same topic level.
  ///
  /// - Parameter id: UTF-8 bytes of the ID.
  public static func isLevel(_ id: some Collection<UInt8>) -> Bool {
    (1...128).contains(id.count) && id.allSatisfy(isPlain)
  }

  /// Converts an ID to a topic level.
  ///
  /// - Parameter id: UTF-8 bytes of the ID.
  /// - Returns: the topic level, at most 128 bytes. Wildcards, separators and bytes that are not printable ASCII (MQTT
  ///   5, section 4.7) become `_`. An empty ID becomes `unknown`.
  public static func text(of id: some Collection<UInt8>) -> String {
    let bytes = id.prefix(128).map { isPlain($0) ? $0 : UInt8(ascii: "_") }
    return bytes.isEmpty ? "unknown" : String(decoding: bytes, as: UTF8.self)
  }
}
