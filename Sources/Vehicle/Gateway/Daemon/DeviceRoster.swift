import Ports

/// Tracks adapters and receivers, and the current path of each. It handles the events of devices, and returns steps
/// that the caller must perform. It does no I/O.
///
/// A device keeps its number while the daemon runs. It is recognized by the key of its identity
/// (``DeviceIdentity/key``). Therefore, it is the same device if it returns under another path, such as `/dev/ttyUSB1`,
/// or if two devices swap their paths.
struct DeviceRoster {
  /// An action that the caller must perform.
  enum Step: Equatable {
    /// Start the link of a new adapter. `configured` is its configuration; `nil` if it was discovered.
    case start(Int, PortAddress, configured: GatewayConfiguration.Adapter?)
    /// Start the link of a new receiver or of gpsd. The ground is the reason why the device is treated as a receiver.
    case startReceiver(Int, PortAddress, DeviceVerdict.Ground, label: String)
    /// Stop the link of a device. The configuration no longer names the device, or names it with other settings.
    case stop(Int)
    /// A device has another path now, has returned, or has disappeared. The address is `nil` if it has disappeared.
    case move(Int, PortAddress?)
    /// Listen to a device, without sending anything, to find out whether it is a receiver.
    case listen(DeviceIdentity)
    /// Report that a device was found, and the reason why it is not used.
    case leave(device: String, label: String, DeviceVerdict.Reason)
  }

  /// A device that the configuration names.
  enum Named: Equatable {
    case adapter(GatewayConfiguration.Adapter)
    case receiver(GatewayConfiguration.GPSSource)
  }

  private struct Entry {
    var configured: Named?
    /// The device's name in the configuration, or its Bluetooth address; `nil` for a discovered serial device.
    var name: String?
    /// Key of the device's identity; `nil` if the device was never present.
    var key: String?
    /// The device's current path; `nil` if the device is not present.
    var node: String?
    /// The path that the configuration names; `nil` for a discovered device, and for a device that is not serial.
    var path: String?
    var baud: Int?
    var bluetooth: BluetoothAddress?
  }

  private var rules: DiscoveryRules
  private var findsSerial: Bool
  private var entries: [Entry] = []
  private var table = DeviceTable()
  private var known: Set<BluetoothAddress> = []
  /// Bluetooth devices that were reported as found but not used.
  private var reported: Set<BluetoothAddress> = []
  /// Maximum size of ``reported``. Fewer devices than this are usually near a vehicle. Without a limit, a device that
  /// changes its address repeatedly would be reported without end.
  private static let mostReported = 32

  init(_ configuration: GatewayConfiguration) {
    rules = Self.rules(configuration)
    findsSerial = configuration.discovery.serial
  }

  private static func rules(_ configuration: GatewayConfiguration) -> DiscoveryRules {
    var rules = DiscoveryRules(probe: configuration.discovery.probe)
    for source in configuration.gps {
      if case .serial(let device, _) = source { rules.receivers.append(device) }
    }
    for adapter in configuration.adapters {
      switch adapter.link {
      case .serial(let device): rules.adapters.append(device)
      case .rfcomm(let text), .ble(let text):
        if let address = BluetoothAddress(text) { rules.bluetoothAdapters.append(address) }
      case .tcp: break
      }
    }
    return rules
  }

  /// Returns the key that identifies a device, also after a restart. It is the device's name in the configuration, or
  /// the key of its identity if the device was discovered.
  func name(of number: Int) -> String {
    let entry = entries[number]
    return entry.name ?? entry.key ?? "adapter \(number)"
  }

  /// Starts the links of all configured devices immediately. It does not wait for udev, because udev may not report the
  /// device at a configured path.
  mutating func configured(_ configuration: GatewayConfiguration) -> [Step] { start(Self.named(configuration)) }

  private static func named(_ configuration: GatewayConfiguration) -> [Named] {
    configuration.adapters.map { .adapter($0) } + configuration.gps.map { .receiver($0) }
  }

  private mutating func start(_ all: [Named]) -> [Step] {
    all.map { named in
      var entry = Entry(configured: named)
      let address: PortAddress
      switch named {
      case .adapter(let adapter): address = place(of: adapter, &entry)
      case .receiver(.serial(let device, let baud)):
        entry.path = device
        entry.baud = baud
        address = .serial(path: device, baud: baud)
      case .receiver(.gpsd(let host, let port)): address = .tcp(host: host, port: Int(port))
      }
      entry.name = address.deviceName
      entries.append(entry)
      switch named {
      case .adapter(let adapter): return .start(entries.count - 1, address, configured: adapter)
      case .receiver: return .startReceiver(entries.count - 1, address, .configured, label: "")
      }
    }
  }

  private mutating func place(of adapter: GatewayConfiguration.Adapter, _ entry: inout Entry) -> PortAddress {
    switch adapter.link {
    case .serial(let device):
      entry.path = device
      entry.baud = adapter.baud
      return .serial(path: device, baud: adapter.baud)
    case .tcp(let host, let port): return .tcp(host: host, port: Int(port))
    case .rfcomm(let text): return .rfcomm(bluetooth(text, &entry), channel: nil)
    case .ble(let text): return .ble(bluetooth(text, &entry))
    }
  }

  private mutating func bluetooth(_ text: String, _ entry: inout Entry) -> BluetoothAddress {
    // The configuration parser accepts only valid addresses.
    guard let device = BluetoothAddress(text) else { preconditionFailure("\(text) is no Bluetooth address") }
    entry.bluetooth = device
    known.insert(device)
    return device
  }

  /// Applies a new configuration. Links of devices whose configuration has not changed continue.
  mutating func reconfigure(_ configuration: GatewayConfiguration) -> [Step] {
    let former = (rules, findsSerial)
    rules = Self.rules(configuration)
    findsSerial = configuration.discovery.serial
    var steps: [Step] = []
    var added = Self.named(configuration)
    for number in entries.indices {
      guard let named = entries[number].configured else { continue }
      if let same = added.firstIndex(of: named) {
        added.remove(at: same)
      } else {
        if let device = entries[number].bluetooth { known.remove(device) }
        // The number must not be reused for another device, so the entry remains, without a device.
        entries[number] = Entry()
        steps.append(.stop(number))
      }
    }
    // A discovered device that is configured now is restarted with its configuration.
    for number in entries.indices where entries[number].configured == nil {
      guard added.contains(where: { isNamed(entries[number], by: $0) }) else { continue }
      entries[number] = Entry()
      steps.append(.stop(number))
    }
    steps += start(added)
    guard former != (rules, findsSerial) else { return steps }
    // Devices that are not used may be configured now, or the daemon may be allowed to probe them now.
    for device in table.devices where entry(of: device) == nil { steps += apply(.appeared(device)) }
    return steps
  }

  private func isNamed(_ entry: Entry, by named: Named) -> Bool {
    let path: String
    switch named {
    case .receiver(.serial(let device, _)): path = device
    case .receiver(.gpsd): return false
    case .adapter(let adapter):
      switch adapter.link {
      case .serial(let device): path = device
      case .rfcomm(let text), .ble(let text): return entry.bluetooth != nil && BluetoothAddress(text) == entry.bluetooth
      case .tcp: return false
      }
    }
    return table.devices.contains { $0.key == entry.key && $0.isNamed(path) }
  }

  /// Replaces the list of all serial devices that are present.
  mutating func present(_ devices: [DeviceIdentity]) -> [Step] { table.replace(with: devices).flatMap { apply($0) } }

  /// Handles an event of a serial device that udev reports.
  mutating func apply(_ event: DeviceEvent) -> [Step] { table.apply(event).flatMap { apply($0) } }

  /// Handles the result of listening to a device. The parameter `result` is `nil` if the device could not be opened.
  mutating func handle(_ result: Listener.Result?, from device: DeviceIdentity) -> [Step] {
    guard table.devices.contains(device), entry(of: device) == nil else { return [] }
    guard let result else { return [.leave(device: device.node, label: device.label, .notProbed)] }
    return judge(device, result)
  }

  /// Handles the list of Bluetooth devices that BlueZ knows.
  mutating func bluetooth(_ devices: [BluetoothDevice]) -> [Step] {
    var steps: [Step] = []
    for device in devices where !known.contains(device.address) {
      switch rules.verdict(for: device) {
      case .adapter:
        known.insert(device.address)
        let address = device.port
        entries.append(Entry(name: address.deviceName, bluetooth: device.address))
        steps.append(.start(entries.count - 1, address, configured: nil))
      case .leave(let reason) where reason != .unrelated:
        guard reported.count < Self.mostReported, reported.insert(device.address).inserted else { continue }
        steps.append(.leave(device: device.port.description, label: device.alias, reason))
      case .leave, .listen, .receiver: continue
      }
    }
    return steps
  }

  // MARK: Serial devices

  private mutating func apply(_ change: DeviceTable.Change) -> [Step] {
    switch change {
    case .disappeared(let device):
      // If two devices have the same identity, only the disappearance of the device in use matters.
      guard let number = entry(of: device), entries[number].node == device.node else { return [] }
      entries[number].node = nil
      return [.move(number, nil)]
    case .appeared(let device), .changed(let device):
      if let number = entry(of: device) ?? adopt(device) {
        if device.tag == "ignore" {
          entries[number].node = nil
          return [.move(number, nil)]
        }
        if let node = entries[number].node, node != device.node, table.devices.contains(where: { $0.node == node }) {
          return []
        }
        entries[number].node = device.node
        return [.move(number, .serial(path: device.node, baud: entries[number].baud))]
      }
      return findsSerial ? judge(device, nil) : []
    }
  }

  private func entry(of device: DeviceIdentity) -> Int? { entries.firstIndex { $0.key == device.key } }

  /// Searches the list of configured devices for the entry whose path is a path of `device`, and stores the identity of
  /// `device` in this entry. An entry is skipped if it has the identity of another device that is present.
  ///
  /// - Returns: the number of the entry; `nil` if there is no such entry.
  private mutating func adopt(_ device: DeviceIdentity) -> Int? {
    guard device.tag != "ignore" else { return nil }
    let number = entries.firstIndex { entry in
      guard let path = entry.path, device.isNamed(path) else { return false }
      return entry.key.map { table.device(withKey: $0) == nil } ?? true
    }
    if let number { entries[number].key = device.key }
    return number
  }

  private mutating func judge(_ device: DeviceIdentity, _ heard: Listener.Result?) -> [Step] {
    switch rules.verdict(for: device, heard: heard) {
    case .adapter:
      entries.append(Entry(key: device.key, node: device.node))
      return [.start(entries.count - 1, .serial(path: device.node, baud: nil), configured: nil)]
    case .receiver(let ground):
      var baud: Int?
      if case .sentences(let rate) = heard { baud = rate }
      entries.append(Entry(key: device.key, node: device.node, baud: baud))
      return [.startReceiver(entries.count - 1, .serial(path: device.node, baud: baud), ground, label: device.label)]
    case .listen: return [.listen(device)]
    case .leave(let reason):
      return reason == .unrelated ? [] : [.leave(device: device.node, label: device.label, reason)]
    }
  }
}
