/// The action for a device that was found. Bytes sent to the wrong device can do harm, because printers and machine
/// controllers use the same chips as adapters.
public enum DeviceVerdict: Hashable, Sendable {
  /// The reason for opening a device.
  public enum Ground: String, Sendable {
    /// The configuration names it.
    case configured
    /// The udev property `OBDGATE` is `adapter`.
    case tagged
    /// Its IDs or its name belong only to such products.
    case knownProduct
    /// The configuration permits probing unknown devices (`discovery.probe`).
    case probe
    /// It sent NMEA sentences.
    case heard
  }
  /// The reason for not opening a device.
  public enum Reason: String, Sendable {
    /// The udev property `OBDGATE` is `ignore`.
    case ignored
    /// It may be an adapter, but probing is not permitted.
    case notProbed
    /// Its IDs are neither an adapter's nor a receiver's.
    case unrelated
    /// A Bluetooth device that is not paired with this machine.
    case notPaired
    /// A Bluetooth LE device that is neither paired with this machine nor trusted. It may belong to another vehicle.
    case notTrusted
    /// A Bluetooth device without a serial port.
    case noSerialPort
  }

  /// The device may be opened and written to.
  case adapter(Ground)
  /// The device may be opened for reading.
  case receiver(Ground)
  /// The device may be opened for a short time to listen (``Listener``). The result decides.
  case listen
  /// The device must not be opened.
  case leave(Reason)
}

/// The rules that decide whether a device is opened. They have no state and access no device: equal input gives equal
/// results.
///
///     let rules = DiscoveryRules(adapters: ["/dev/ttyUSB0"], probe: false)
///     if case .adapter = rules.verdict(for: device) { … }
public struct DiscoveryRules: Hashable, Sendable {
  /// Devices that the configuration names, by device file or link.
  public var adapters: [String]
  /// Receivers that the configuration names, by device file or link.
  public var receivers: [String]
  /// Bluetooth adapters that the configuration names.
  public var bluetoothAdapters: [BluetoothAddress]
  /// Whether unknown devices with bridge chips may be probed (`discovery.probe`).
  public var probe: Bool

  /// Creates rules.
  public init(
    adapters: [String] = [], receivers: [String] = [], bluetoothAdapters: [BluetoothAddress] = [], probe: Bool = false
  ) {
    self.adapters = adapters
    self.receivers = receivers
    self.bluetoothAdapters = bluetoothAdapters
    self.probe = probe
  }

  /// Returns the action for a serial device.
  ///
  /// - Parameters:
  ///   - device: the device.
  ///   - heard: the result of listening to it; `nil` if that has not been done.
  public func verdict(for device: DeviceIdentity, heard: Listener.Result? = nil) -> DeviceVerdict {
    // The machine's own udev rules precede the configuration, because they describe what else is connected.
    if device.tag == "ignore" { return .leave(.ignored) }
    if adapters.contains(where: device.isNamed) { return .adapter(.configured) }
    if receivers.contains(where: device.isNamed) { return .receiver(.configured) }
    if device.tag == "adapter" { return .adapter(.tagged) }
    // A serial port that is not on USB may be the machine's console.
    guard let usb = device.usb else { return .leave(.unrelated) }
    if KnownProducts.isAdapterName(device.label) { return .adapter(.knownProduct) }
    if KnownProducts.kind(usb) == .receiver || KnownProducts.isReceiverName(device.label) {
      return .receiver(.knownProduct)
    }
    guard KnownProducts.kind(usb) == .bridge else { return .leave(.unrelated) }
    switch heard {
    case nil: return .listen
    case .sentences: return .receiver(.heard)
    case .nothing, .otherBytes: return probe ? .adapter(.probe) : .leave(.notProbed)
    }
  }

  /// Returns the action for a Bluetooth device.
  public func verdict(for device: BluetoothDevice) -> DeviceVerdict {
    if bluetoothAdapters.contains(device.address) { return .adapter(.configured) }
    let isKnown = KnownProducts.isAdapterName(device.name) || KnownProducts.isAdapterName(device.alias)
    if device.isLowEnergy { return lowEnergyVerdict(device, isKnown: isKnown) }
    // Before pairing, a device may not have reported its services.
    guard device.isPaired else { return .leave(isKnown || device.hasSerialPort ? .notPaired : .unrelated) }
    guard device.hasSerialPort else { return .leave(isKnown ? .noSerialPort : .unrelated) }
    if isKnown { return .adapter(.knownProduct) }
    return probe ? .adapter(.probe) : .leave(.notProbed)
  }

  /// Returns the action for a Bluetooth LE device. The known services alone are not sufficient, because scales and
  /// lamps offer them too. Most adapters need no pairing, so an unpaired one may be in another vehicle.
  private func lowEnergyVerdict(_ device: BluetoothDevice, isKnown: Bool) -> DeviceVerdict {
    guard device.isPaired || device.isTrusted else { return .leave(isKnown ? .notTrusted : .unrelated) }
    if isKnown { return .adapter(.knownProduct) }
    guard device.hasAdapterService else { return .leave(.unrelated) }
    return probe ? .adapter(.probe) : .leave(.notProbed)
  }
}
