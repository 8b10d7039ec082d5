/// The decision whether and how a device that was found may be opened. Bytes that are sent to the wrong device can do
/// harm, because printers and machine controllers use the same USB chips as adapters.
public enum DeviceVerdict: Hashable, Sendable {
  /// The reason why a device may be opened.
  public enum Ground: String, Sendable {
    /// The configuration names the device.
    case configured
    /// The udev property `OBDGATE` of the device is `adapter`.
    case tagged
    /// The device's USB IDs or its name are known to belong only to adapters, or only to receivers.
    case knownProduct
    /// The configuration allows probing unknown devices (`discovery.probe`).
    case probe
    /// The device sent NMEA sentences.
    case heard
  }
  /// The reason why a device must not be opened.
  public enum Reason: String, Sendable {
    /// The udev property `OBDGATE` of the device is `ignore`.
    case ignored
    /// The device may be an adapter, but the configuration does not allow probing unknown devices.
    case notProbed
    /// The USB IDs or the name of the device are not those of an adapter or a receiver.
    case unrelated
    /// The device is a Bluetooth device that is not paired with this machine.
    case notPaired
    /// The device is a Bluetooth LE device that is neither paired with this machine nor trusted. It may belong to
    /// another vehicle.
    case notTrusted
    /// The device is a Bluetooth device without a serial port.
    case noSerialPort
  }

  /// The device may be opened and written to.
  case adapter(Ground)
  /// The device may be opened and read from, but nothing may be written to it.
  case receiver(Ground)
  /// The device may be opened for a short time to listen to it (``Listener``). The bytes that it sends determine the
  /// next decision.
  case listen
  /// The device must not be opened.
  case leave(Reason)
}

/// The rules that decide whether a device may be opened. They have no state and access no device, so the same input
/// always gives the same result.
///
///     let rules = DiscoveryRules(adapters: ["/dev/ttyUSB0"], probe: false)
///     if case .adapter = rules.verdict(for: device) { … }
public struct DiscoveryRules: Hashable, Sendable {
  /// Adapters that the configuration names by their device files or by links to these.
  public var adapters: [String]
  /// Receivers that the configuration names by their device files or by links to these.
  public var receivers: [String]
  /// Bluetooth adapters that the configuration names.
  public var bluetoothAdapters: [BluetoothAddress]
  /// Whether bytes may be sent to an unknown device to find out whether it is an adapter (`discovery.probe`).
  public var probe: Bool

  /// Creates rules; the parameters are the properties of the same names.
  public init(
    adapters: [String] = [], receivers: [String] = [], bluetoothAdapters: [BluetoothAddress] = [], probe: Bool = false
  ) {
    self.adapters = adapters
    self.receivers = receivers
    self.bluetoothAdapters = bluetoothAdapters
    self.probe = probe
  }

  /// Decides what to do with a serial device.
  ///
  /// - Parameters:
  ///   - device: the device.
  ///   - heard: the result of a ``Listener`` for this device; `nil` if none has run yet.
  public func verdict(for device: DeviceIdentity, heard: Listener.Result? = nil) -> DeviceVerdict {
    // The machine's own udev rules have priority over the configuration, because they describe what else is connected
    // to the machine.
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

  /// Decides what to do with a Bluetooth device.
  public func verdict(for device: BluetoothDevice) -> DeviceVerdict {
    if bluetoothAdapters.contains(device.address) { return .adapter(.configured) }
    let isKnown = KnownProducts.isAdapterName(device.name) || KnownProducts.isAdapterName(device.alias)
    if device.isLowEnergy { return lowEnergyVerdict(device, isKnown: isKnown) }
    // A device that is not paired has perhaps not reported its services yet.
    guard device.isPaired else { return .leave(isKnown || device.hasSerialPort ? .notPaired : .unrelated) }
    guard device.hasSerialPort else { return .leave(isKnown ? .noSerialPort : .unrelated) }
    if isKnown { return .adapter(.knownProduct) }
    return probe ? .adapter(.probe) : .leave(.notProbed)
  }

  /// Decides what to do with a Bluetooth LE device. A known service is not sufficient, because scales and lamps may
  /// offer the same service. Most adapters need no pairing, so an adapter that is not paired may be in another vehicle.
  private func lowEnergyVerdict(_ device: BluetoothDevice, isKnown: Bool) -> DeviceVerdict {
    guard device.isPaired || device.isTrusted else { return .leave(isKnown ? .notTrusted : .unrelated) }
    if isKnown { return .adapter(.knownProduct) }
    guard device.hasAdapterService else { return .leave(.unrelated) }
    return probe ? .adapter(.probe) : .leave(.notProbed)
  }
}
