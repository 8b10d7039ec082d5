import Captures
import Failures
import GatewayOutput
import Glibc
import Ports
import Telemetry

/// The IDs of this gateway, of the current boot, and of epochs.
enum GatewayIdentity {
  /// Returns `gw-` and 16 hexadecimal digits that are derived from the machine ID. The machine ID itself cannot be
  /// computed from the digits (machine-id(5)).
  ///
  /// - Throws: ``Failure`` if the machine has no ID.
  static func gatewayId() throws(Failure) -> String {
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
    throw Failure(.badConfiguration, "gatewayId: not configured, and this machine has no /etc/machine-id; set one")
  }

  /// Returns the ID of the current boot (proc(5)). Two times since boot can be compared only if their boot IDs are
  /// equal.
  ///
  /// A service that cannot read all of /proc receives the boot ID from its unit, as 32 digits (systemd.unit(5), `%b`).
  static func bootId() throws(Failure) -> String {
    if let told = unsafe getenv("OBDGATED_BOOT_ID") {
      let digits = Array(unsafe String(cString: told))
      guard digits.count == 32, digits.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) else {
        throw Failure(.badConfiguration, "OBDGATED_BOOT_ID: expected 32 hexadecimal digits")
      }
      return [digits[..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20...]].map { String($0) }
        .joined(separator: "-")
    }
    let text = try FileText.read("/proc/sys/kernel/random/boot_id")
    return String(decoding: text.prefix { $0 > 0x20 }, as: UTF8.self)
  }

  /// Creates the ID of a new epoch. The records of an epoch are numbered from 1.
  static func newEpoch() -> UUIDv7 {
    var random = SystemRandomNumberGenerator()
    let wall = MachineClock.read()
    let now = BootClock.now + wall.offset
    return UUIDv7(milliseconds: UInt64(clamping: now / 1_000_000), first: random.next(), rest: random.next())
  }
}

extension GatewayConfiguration {
  /// The gateway ID of a daemon with this configuration. It is `nil` if neither the configuration nor the machine has
  /// an ID; in this case, the daemon does not start.
  public var presentGatewayId: String? { gatewayId ?? (try? GatewayIdentity.gatewayId()) }
}
