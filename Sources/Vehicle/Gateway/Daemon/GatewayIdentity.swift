import Captures
import Glibc
import Ports
import Telemetry

/// Who this gateway is.
enum GatewayIdentity {
  /// `gw-` and 16 digits that follow from the machine's id, which itself stays here (machine-id(5)).
  ///
  /// - Throws: where the machine has none.
  static func gatewayId() throws(StartError) -> String {
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      guard let text = try? FileText.read(path) else { continue }
      let digits = text.prefix { $0 > 0x20 }
      guard digits.count >= 32 else { continue }
      var hash = ContentHash()
      let salted = Array("obdgate gateway ".utf8) + digits
      hash.update(salted.span)
      let number = String(hash.value, radix: 16)
      return "gw-" + String(repeating: "0", count: 16 - number.count) + number
    }
    throw StartError(.badConfiguration, "gatewayId: not configured, and this machine has no /etc/machine-id; set one")
  }

  /// Which boot this is: times of the boot clock are comparable within it (proc(5)).
  ///
  /// A service that does not see all of /proc is told by its unit, which knows it as 32 digits (systemd.unit(5), `%b`).
  static func bootId() throws(StartError) -> String {
    if let told = unsafe getenv("OBDGATED_BOOT_ID") {
      let digits = Array(unsafe String(cString: told))
      guard digits.count == 32, digits.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) else {
        throw StartError(.badConfiguration, "OBDGATED_BOOT_ID: expected 32 hexadecimal digits")
      }
      return [digits[..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20...]].map { String($0) }
        .joined(separator: "-")
    }
    let text = try FileText.read("/proc/sys/kernel/random/boot_id")
    return String(decoding: text.prefix { $0 > 0x20 }, as: UTF8.self)
  }

  /// A new epoch: records from here on count from 1.
  static func newEpoch() -> UUIDv7 {
    var random = SystemRandomNumberGenerator()
    let wall = WallClock.read()
    let now = BootClock.now + wall.offset
    return UUIDv7(milliseconds: UInt64(clamping: now / 1_000_000), first: random.next(), rest: random.next())
  }
}

extension GatewayConfiguration {
  /// By which a daemon with this configuration calls itself; nil: it would not start.
  public var presentGatewayId: String? { gatewayId ?? (try? GatewayIdentity.gatewayId()) }
}
