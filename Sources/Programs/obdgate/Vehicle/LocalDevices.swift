import Failures
import Ports

/// The serial and Bluetooth devices of this machine, with the verdict of the daemon's discovery rules on each.
struct LocalDevices {
  /// A device that may be an adapter or a receiver.
  struct Device {
    let address: PortAddress
    /// The key that identifies the device, whichever USB socket it is plugged into.
    let key: String
    /// The name that the device reports; empty if it reports none.
    let label: String
    var verdict: DeviceVerdict
    /// The properties with which a serial device is opened for listening; `nil` for a Bluetooth device.
    var identity: DeviceIdentity?
  }

  private(set) var devices: [Device] = []
  /// The problems that occurred: kinds of devices that could not be listed, and devices to which the program could not
  /// listen. Each text states the reason.
  private(set) var problems: [String] = []
  private let rules = DiscoveryRules()

  /// Lists the devices. It opens none of them and sends nothing to them.
  ///
  /// - Parameter inquiry: duration of the search for Bluetooth devices in range; `nil` to list only the devices that
  ///   BlueZ knows.
  init(inquiry: Duration? = nil) {
    findSerial()
    findBluetooth(inquiry)
  }

  private mutating func findSerial() {
    do throws(DiscoveryError) {
      var monitor = try DeviceMonitor()
      for device in try monitor.present().sorted(by: { $0.node < $1.node }) {
        let verdict = rules.verdict(for: device)
        // A serial port that is not on USB is left out if the rules do not mention it, because it may be the machine's
        // console.
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

  /// Listens to the devices that may be receivers. It sends nothing to them.
  ///
  /// - Parameter each: called with each device before the function listens to it.
  /// - Returns: the result for each device, by the device's path.
  mutating func listen(_ each: (Device) -> Void) -> [String: Listener.Result] {
    var heard: [String: Listener.Result] = [:]
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

  /// Returns the address of the adapter, if exactly one adapter was found.
  ///
  /// - Throws: an error if no device is known to be an adapter, or if several are.
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
        "no known adapter; not asked: \(others.map(\.title).joined(separator: ", ")); \(example)")
    }
    let notes = (["no adapter found"] + problems).joined(separator: "; ")
    throw Failure(.unavailable, "\(notes); \(example)")
  }
}

extension LocalDevices.Device {
  var isAdapter: Bool { if case .adapter = verdict { true } else { false } }

  /// The device's address with its label: `/dev/ttyUSB0 (ScanTool.net LLC OBDLink SX)`.
  var title: String { label.isEmpty ? address.device : "\(address.device) (\(label))" }
}
