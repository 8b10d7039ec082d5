import Captures
import Ports
import Telemetry

/// Who this gateway is.
enum Identity {
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
  static func bootId() throws(StartError) -> String {
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
