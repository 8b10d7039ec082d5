import Failures
import Glibc
import Ports

/// Checks the serial devices: which adapters and receivers are present, whether the daemon may open them, and which
/// processes use them. It opens no device.
struct AdapterCheck {
  private let user: ServiceUser
  /// Paths of the devices to which the running daemon is connected.
  private let connected: Set<String>
  private let adapters: [String]
  private let receivers: [String]
  /// Whether the configuration also names adapters on the network or on Bluetooth. ``NetworkCheck`` and
  /// ``BluetoothCheck`` check these.
  private let hasOthers: Bool
  /// Whether the daemon also uses serial devices that it discovers.
  private let finds: Bool
  private(set) var findings: [Finding] = []

  private static let name = "adapter"

  init(_ about: Examination.Case) {
    let configuration = about.settings.configuration
    user = about.user
    let lines = about.status.map { $0.adapters.map(\.line) + $0.receivers.map(\.line) } ?? []
    connected = Set(lines.filter { $0.state == "connected" || $0.state == "sleeping" }.map(\.device))
    adapters = configuration.adapters.compactMap { if case .serial(let path) = $0.link { path } else { nil } }
    receivers = configuration.gps.compactMap { if case .serial(let path, _) = $0 { path } else { nil } }
    hasOthers = configuration.adapters.count > adapters.count
    finds = configuration.discovery.serial
    let rules = DiscoveryRules(adapters: adapters, receivers: receivers, probe: configuration.discovery.probe)
    do throws(DiscoveryError) {
      var monitor = try DeviceMonitor()
      let present = try monitor.present().sorted { $0.node < $1.node }
      check(at: present, rules)
      findings += SerialBridges.without(present, rules)
    } catch {
      findings.append(Finding(.problem, Self.name, error.description, remedy: "apt-get install udev"))
    }
    findings += Self.rivals
  }

  private mutating func check(at present: [DeviceIdentity], _ rules: DiscoveryRules) {
    var hasAdapter = hasOthers || !adapters.isEmpty
    for path in adapters + receivers where !present.contains(where: { $0.isNamed(path) }) {
      // udev may not report the device at the configured path.
      check(at: path, as: adapters.contains(path) ? "the configured adapter" : "the configured receiver")
    }
    var strangers: [DeviceIdentity] = []
    for device in present {
      let title = device.label.isEmpty ? "" : " (\(device.label))"
      switch rules.verdict(for: device) {
      case .adapter(.configured): check(at: device.node, as: "the configured adapter\(title)")
      case .receiver(.configured): check(at: device.node, as: "the configured receiver\(title)")
      case .adapter(let ground) where finds:
        hasAdapter = true
        check(at: device.node, as: "an adapter\(title), \(ground.rawValue)")
      case .receiver(let ground) where finds: check(at: device.node, as: "a receiver\(title), \(ground.rawValue)")
      case .listen where finds, .leave(.notProbed) where finds: strangers.append(device)
      case .leave(.ignored):
        findings.append(Finding(.ok, Self.name, "\(device.node): ignored\(title), OBDGATE=ignore"))
      default: break
      }
    }
    for device in strangers {
      let title = device.label.isEmpty ? "" : " (\(device.label))"
      findings.append(
        Finding(.ok, Self.name, "\(device.node): an unknown device\(title): the daemon listens to it and sends nothing")
      )
    }
    guard !hasAdapter else { return }
    let example = strangers.first.map { "\"adapters\": [{\"device\": \"\($0.links.first ?? $0.node)\"}]" }
    findings.append(
      Finding(
        .warning, Self.name,
        finds
          ? "no serial device that is known to be an adapter"
          : "no adapter is configured, and the daemon does not search for one",
        remedy: example.map { "name it in the configuration: \($0)" } ?? "plug one in, then: obdgate scan"))
  }

  /// Checks whether the daemon can open a device, and whether another process uses it.
  private mutating func check(at path: String, as what: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      let isMissing = errno == ENOENT || errno == ENOTDIR
      findings.append(
        Finding(
          .problem, Self.name, "\(path): \(what): \(systemReason(errno))",
          remedy: isMissing ? "plug it in, or see what there is: obdgate scan" : nil))
      return
    }
    guard isLine(status) else {
      findings.append(
        Finding(
          .problem, Self.name, "\(path): \(what): not a serial line", remedy: "name a device such as /dev/ttyUSB0"))
      return
    }
    if let refusal = refusal(path, status) {
      findings.append(Finding(.problem, Self.name, "\(path): \(what): \(refusal.what)", remedy: refusal.remedy))
      return
    }
    let isOurs = connected.contains(path)
    guard !isOurs, let holder = DeviceHolder.of(path), !holder.hasPrefix("obdgated ") else {
      findings.append(Finding(.ok, Self.name, "\(path): \(what)\(isOurs ? ", connected" : "")"))
      return
    }
    findings.append(
      Finding(
        .problem, Self.name, "\(path): \(what): used by \(holder)", remedy: "end that: \(Self.end(holder, path))"))
  }

  /// Whether a file may be a serial port, as sysfs(5) shows. The file is not opened, because opening could reset the
  /// device.
  private func isLine(_ status: stat) -> Bool {
    guard status.st_mode & S_IFMT == S_IFCHR else { return false }
    // sysfs does not contain pseudo-terminals.
    let entry = "/sys/dev/char/\(Self.numbers(status.st_rdev))/subsystem"
    guard let subsystem = SerialBridges.resolvedPath(entry) else { return true }
    return subsystem.hasSuffix("/tty")
  }

  /// Formats a device number as major and minor number, such as `188:0`. In a device number, the twelve bits of the
  /// major number are between the lower eight and the upper bits of the minor number (makedev(3)).
  private static func numbers(_ device: dev_t) -> String {
    "\(device >> 8 & 0xFFF):\(device & 0xFF | device >> 12 & 0xFFF00)"
  }

  /// Returns the reason why the daemon cannot open a device, and the remedy; `nil` if it can open the device.
  private func refusal(_ path: String, _ status: stat) -> (what: String, remedy: String)? {
    guard user.may(0o6, status) else { return ("\(user.name) may not open it", admission(path, status)) }
    // The major numbers of the devices that the service's unit allows: USB serial bridges, CDC ACM and RFCOMM
    // (devices.txt of the kernel).
    let allowed: Set<dev_t> = [188, 166, 216]
    // The twelve bits of the major number follow the lower eight bits of the minor number (makedev(3)).
    let major = status.st_rdev >> 8 & 0xFFF
    if user.isService, status.st_mode & S_IFMT == S_IFCHR, !allowed.contains(major) {
      return (
        "the service's unit does not allow this kind of device",
        "systemctl edit obdgated, with [Service] DeviceAllow=\(path) rw"
      )
    }
    return nil
  }

  /// Returns the commands that permit the daemon's user to open a device.
  private func admission(_ path: String, _ status: stat) -> String {
    let own = ServiceUser.name(ofGroup: status.st_gid)
    // Suggest the group of the device only if it is suitable. No user should join the group of root, and the service
    // has only the groups that its unit lists.
    let isFit = status.st_gid != 0 && (!user.isService || ServiceUser.serviceGroups.contains(own))
    let group = isFit ? own : ServiceUser.serviceGroups[0]
    var steps: [String] = []
    if status.st_mode & 0o060 != 0o060 || group != own {
      steps.append(Self.opening(path, status, to: group, from: own))
    }
    if !user.isService, !user.isIn(group) { steps.append("usermod -aG \(group) \(user.name), then log in again") }
    return steps.isEmpty ? "chmod u+rw \(path)" : steps.joined(separator: "; and ")
  }

  /// Returns a command that permits a group to read and write a device. If udev creates the device, returns a udev rule
  /// instead, because udev sets the permissions each time the device is plugged in.
  private static func opening(_ path: String, _ status: stat, to group: String, from own: String) -> String {
    let device = SerialBridges.resolvedPath(path) ?? path
    guard SerialBridges.resolvedPath("/sys/dev/char/\(numbers(status.st_rdev))") != nil,
      let name = device.split(separator: "/").last
    else { return "\(group == own ? "" : "chgrp \(group) \(path) && ")chmod g+rw \(path)" }
    return "a udev rule: KERNEL==\"\(name)\", GROUP=\"\(group)\", MODE=\"0660\""
      + " (chmod lasts until it is unplugged)"
  }

  private static func end(_ holder: String, _ path: String) -> String {
    if holder.hasPrefix("ModemManager ") { return "systemctl disable --now ModemManager" }
    if holder.hasPrefix("brltty ") { return "apt-get remove brltty" }
    return "fuser -v \(path)"
  }

  /// Warnings about running programs that open serial devices because they search for modems or Braille displays.
  private static var rivals: [Finding] {
    let running = DeviceHolder.running(of: ["ModemManager", "brltty"])
    var findings: [Finding] = []
    if running.contains("ModemManager") {
      findings.append(
        Finding(
          .warning, name, "ModemManager runs: it may send its own commands to adapters, as if they were modems",
          remedy: "systemctl disable --now ModemManager, or a udev rule: ENV{ID_MM_DEVICE_IGNORE}=\"1\""))
    }
    if running.contains("brltty") {
      findings.append(
        Finding(
          .warning, name, "brltty runs: it claims adapters with a CH340 or CP210x as Braille displays",
          remedy: "apt-get remove brltty"))
    }
    return findings
  }
}
