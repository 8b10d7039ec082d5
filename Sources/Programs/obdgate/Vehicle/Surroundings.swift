import Ports

/// Serial and Bluetooth devices of this machine, and what the rules of discovery say of them, with no configuration.
struct Surroundings {
  /// A device that may matter.
  struct Device {
    let address: PortAddress
    /// Known again by it, wherever it is plugged in.
    let key: String
    /// What it calls itself; may be empty.
    let label: String
    var verdict: DeviceVerdict
    /// How it is opened to be listened to; nil: it is none of those.
    var identity: DeviceIdentity?
  }

  private(set) var devices: [Device] = []
  /// Why a part of the machine could not be looked through.
  private(set) var problems: [String] = []
  private let rules = DiscoveryRules()

  /// Looks what is there; sends and opens nothing.
  ///
  /// - Parameter inquiry: how long Bluetooth devices around are listened for; nil: those that are paired are known.
  init(inquiry: Duration? = nil) {
    findSerial()
    findBluetooth(inquiry)
  }

  private mutating func findSerial() {
    do throws(DiscoveryError) {
      var monitor = try DeviceMonitor()
      for device in try monitor.present().sorted(by: { $0.node < $1.node }) {
        let verdict = rules.verdict(for: device)
        // The machine's own lines may be its console: of them, nothing is said.
        guard device.usb != nil || verdict != .leave(.unrelated) else { continue }
        devices.append(
          Device(
            address: .serial(path: device.node, baud: nil), key: device.key, label: device.label, verdict: verdict,
            identity: device))
      }
    } catch {
      problems.append(error.description)
    }
  }

  private mutating func findBluetooth(_ inquiry: Duration?) {
    do throws(DiscoveryError) {
      let directory = try BluetoothDirectory()
      let found: [BluetoothDevice]
      if let inquiry { found = try directory.inquire(for: inquiry) } else { found = try directory.devices() }
      for device in found {
        let verdict = rules.verdict(for: device)
        guard verdict != .leave(.unrelated) else { continue }
        let address = device.port
        devices.append(
          Device(
            address: address, key: address.description, label: device.alias.isEmpty ? device.name : device.alias,
            verdict: verdict, identity: nil))
      }
    } catch {
      problems.append(error.description)
    }
  }

  /// Listens to the devices that may be receivers; nothing is sent.
  ///
  /// - Parameter each: told before each of them.
  mutating func listen(_ each: (Device) -> Void) -> [String: Listener.Heard] {
    var heard: [String: Listener.Heard] = [:]
    for index in devices.indices where devices[index].verdict == .listen {
      guard let identity = devices[index].identity else { continue }
      each(devices[index])
      do throws(PortError) {
        let found = try Listener.listen(to: identity.node, unless: try WakeUp())
        heard[identity.node] = found
        devices[index].verdict = rules.verdict(for: identity, heard: found)
      } catch {
        problems.append(error.description)
        devices[index].verdict = .leave(.notProbed)
      }
    }
    return heard
  }

  /// - Throws: where there is none that may be spoken to, or more than one.
  func onlyAdapter() throws(Failure) -> PortAddress {
    let adapters = devices.filter(\.isAdapter)
    if adapters.count == 1 { return adapters[0].address }
    let example = "name one with --device, as /dev/ttyUSB0, 192.168.0.10:35000 or rfcomm:00:1D:A5:68:98:8A, ble:…"
    if adapters.count > 1 {
      throw Failure(
        .usage, "several adapters: \(adapters.map(\.title).joined(separator: ", ")); name one with --device")
    }
    let others = devices.filter { $0.verdict == .listen || $0.verdict == .leave(.notProbed) }
    guard others.isEmpty else {
      throw Failure(
        .unavailable,
        "no adapter that is known as one; not asked: \(others.map(\.title).joined(separator: ", ")); \(example)")
    }
    let notes = (["no adapter found"] + problems).joined(separator: "; ")
    throw Failure(.unavailable, "\(notes); \(example)")
  }
}

extension Surroundings.Device {
  var isAdapter: Bool { if case .adapter = verdict { true } else { false } }

  /// `/dev/ttyUSB0 (ScanTool.net LLC OBDLink SX)`
  var title: String { label.isEmpty ? address.device : "\(address.device) (\(label))" }
}
