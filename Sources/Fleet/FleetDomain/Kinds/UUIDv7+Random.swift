import Telemetry

extension UUIDv7 {
  /// Creates an identifier for a row that the server adds. Its random part cannot be predicted.
  public static func random(at time: Timestamp) -> UUIDv7 {
    var generator = SystemRandomNumberGenerator()
    return UUIDv7(
      milliseconds: UInt64(max(time.milliseconds, 0)), first: generator.next(), rest: generator.next())
  }
}
