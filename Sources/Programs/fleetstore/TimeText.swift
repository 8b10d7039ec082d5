import Telemetry

/// Formats times and ids for lists.
enum TimeText {
  static func of(_ time: Timestamp) -> String {
    let text = time.text
    return unsafe text.span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }

  static func of(_ id: UUIDv7) -> String {
    let text = id.text
    return unsafe text.span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
