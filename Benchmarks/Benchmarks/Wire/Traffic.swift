/// What the benchmarks work through: made here, the same on every machine.
enum Traffic {
  /// Rounds of one dialogue; about 4 MB each way.
  private static let rounds = 40_000

  /// An engine ECU on 11-bit CAN, headers, spaces and echo on.
  static let adapter: [UInt8] = {
    var text = ""
    for round in 0..<rounds {
      let (high, low) = (hex(0x10 + round >> 8 & 0x1F), hex(round & 0xFF))
      text += "010C\r7E8 04 41 0C \(high) \(low) \r\r>"
      text += "010D\r7E8 03 41 0D \(low) \r\r>"
      text += "0105\r7E8 03 41 05 \(hex(60 + round % 40)) \r\r>"
    }
    return Array(text.utf8)
  }()

  /// A receiver that moves north by a ten-thousandth of a minute each second.
  static let gps: [UInt8] = {
    var text = ""
    for second in 0..<rounds {
      let time = [second / 3_600 % 24, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
      let latitude = "48\(10 + second / 10_000).\(String(10_000 + second % 10_000).dropFirst())"
      text += sentence("GPRMC,\(time).00,A,\(latitude),N,01131.3240,E,22.4,84.4,230326,,,A")
      text += sentence("GPGGA,\(time).00,\(latitude),N,01131.3240,E,1,08,0.9,545.4,M,46.9,M,,")
    }
    return Array(text.utf8)
  }()

  private static func sentence(_ body: String) -> String {
    "$\(body)*\(hex(Int(body.utf8.reduce(0, ^))))\r\n"
  }

  private static func hex(_ byte: Int) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count < 2 ? "0" + digits : digits
  }
}
