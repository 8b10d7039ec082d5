import Telemetry

extension UUIDv7 {
  /// A random identifier for a row that the server creates. Nobody can foresee it.
  public static func random(at time: Timestamp) -> UUIDv7 {
    var generator = SystemRandomNumberGenerator()
    return UUIDv7(
      milliseconds: UInt64(max(time.milliseconds, 0)), first: generator.next(), rest: generator.next())
  }
}
