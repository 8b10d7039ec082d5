import Gateway
import Glibc
import Ports
import Sinks

/// Checks Bluetooth by requests to BlueZ, without using the radio.
enum BluetoothCheck {
  private static let name = "bluetooth"

  /// A Bluetooth adapter that the configuration names.
  private struct Wanted {
    let address: BluetoothAddress
    let isLowEnergy: Bool
  }

  static func findings(_ about: Examination.Case) -> [Finding] {
    let configuration = about.settings.configuration
    let wanted = configuration.adapters.compactMap { adapter -> Wanted? in
      switch adapter.link {
      case .rfcomm(let text): BluetoothAddress(text).map { Wanted(address: $0, isLowEnergy: false) }
      case .ble(let text): BluetoothAddress(text).map { Wanted(address: $0, isLowEnergy: true) }
      case .serial, .tcp: nil
      }
    }
    guard !wanted.isEmpty || configuration.discovery.bluetooth else {
      return [Finding(.ok, name, "not used: the configuration names no such adapter and looks for none")]
    }
    // A missing Bluetooth controller is a problem only if a Bluetooth adapter is configured.
    let doubt: Finding.Verdict = wanted.isEmpty ? .warning : .problem
    do throws(DiscoveryError) {
      let directory = try BluetoothDirectory()
      let controllers = try directory.controllers()
      guard !controllers.isEmpty else { return [noController(wanted)] }
      guard let on = controllers.first(where: \.isPowered) else { return [off(controllers[0], doubt)] }
      let devices = try directory.devices()
      let known = wanted.map { check(for: $0, among: devices) }
      let files = configuration.adapters.compactMap { pinFile(of: $0) }
      return [Finding(.ok, name, "\(on.name) is on, \(devices.filter(\.isPaired).count) devices paired")] + known
        + files
    } catch {
      if wanted.isEmpty, !hasController { return [noController(wanted)] }
      return [Finding(doubt, name, error.description)]
    }
  }

  /// Checks the file that contains an adapter's PIN. Returns the problem; `nil` if there is none.
  private static func pinFile(of adapter: GatewayConfiguration.Adapter) -> Finding? {
    do throws(SinkError) {
      _ = try adapter.readPIN()
      return nil
    } catch {
      return SinkCheck.badFile(error.description, name) ?? Finding(.problem, name, error.description)
    }
  }

  private static func noController(_ wanted: [Wanted]) -> Finding {
    wanted.isEmpty
      ? Finding(.ok, name, "not used: this machine has no controller")
      : Finding(.problem, name, "this machine has no controller", remedy: "plug one in, then run: bluetoothctl list")
  }

  private static func off(_ controller: BluetoothController, _ doubt: Finding.Verdict) -> Finding {
    let isBlocked = block("soft") || block("hard")
    return Finding(
      doubt, name, "\(controller.name) is off\(isBlocked ? ", and blocked" : "")",
      remedy: block("hard")
        ? "a hardware switch has disabled it: rfkill list"
        : isBlocked ? "rfkill unblock bluetooth && bluetoothctl power on" : "bluetoothctl power on")
  }

  private static func check(for wanted: Wanted, among devices: [BluetoothDevice]) -> Finding {
    let address = wanted.address
    guard let device = devices.first(where: { $0.address == address }) else {
      return Finding(
        .warning, name, "\(address) was never found by this machine",
        remedy: "switch it on, then run: bluetoothctl scan on")
    }
    let title = device.alias.isEmpty ? "" : " (\(device.alias))"
    if device.isPaired { return Finding(.ok, name, "\(address)\(title) is paired") }
    // Most Bluetooth LE adapters work without pairing (docs/Adapters.md).
    guard !wanted.isLowEnergy, !device.isConnected else {
      return Finding(.ok, name, "\(address)\(title) is known, and not paired")
    }
    return Finding(
      .warning, name,
      "\(address)\(title) is not paired: if it does not answer without pairing, 1234 and 0000 are tried",
      remedy: "if it has another PIN: \"pin\" in the configuration, or bluetoothctl pair \(address)")
  }

  /// Whether the kernel has a Bluetooth controller. BlueZ need not be running.
  private static var hasController: Bool { unsafe access("/sys/class/bluetooth/hci0", F_OK) == 0 }

  /// Whether rfkill blocks Bluetooth, by software (`soft`) or by a switch (`hard`).
  private static func block(_ kind: String) -> Bool {
    (0..<16).contains { number in
      let folder = "/sys/class/rfkill/rfkill\(number)/"
      return text(folder + "type") == "bluetooth" && text(folder + kind) == "1"
    }
  }

  private static func text(_ path: String) -> String {
    guard let bytes = try? InputFile.contents(of: path, limit: 4_096) else { return "" }
    return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
  }
}
