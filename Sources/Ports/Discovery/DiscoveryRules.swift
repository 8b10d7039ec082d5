/// What to do with a device that was found: bytes sent to the wrong one do harm, for printers and machine controllers
/// sit behind the same chips as adapters.
public enum DeviceVerdict: Hashable, Sendable {
  /// Why a device may be spoken to, or is taken for a receiver.
  public enum Ground: String, Sendable {
    /// The configuration names it.
    case configured
    /// The udev property `OBDGATE=adapter`.
    case tagged
    /// Its ids or its name are those of such a product alone.
    case knownProduct
    /// The configuration allows asking strangers (`discovery.probe`).
    case probe
    /// It sent NMEA sentences.
    case heard
  }
  /// Why a device is left alone.
  public enum Reason: String, Sendable {
    /// The udev property `OBDGATE=ignore`.
    case ignored
    /// It may be an adapter; nothing allows to ask it.
    case notProbed
    /// Neither an adapter's nor a receiver's ids.
    case unrelated
    /// A Bluetooth device that this machine is not paired with.
    case notPaired
    /// A device of Bluetooth LE that this machine is not paired with and that nobody has called theirs: it may be a
    /// neighbour's.
    case notTrusted
    /// A Bluetooth device without a serial port.
    case noSerialPort
  }

  /// It may be opened and written to.
  case adapter(Ground)
  /// It may be opened and read.
  case receiver(Ground)
  /// It may be opened and listened to for a short while (``Listener``); what was heard decides.
  case listen
  /// It is not to be opened.
  case leave(Reason)
}

/// The rules, with no memory and no device in reach: the same answers to the same facts.
public struct DiscoveryRules: Hashable, Sendable {
  /// Devices that the configuration names, by node or link.
  public var adapters: [String]
  public var receivers: [String]
  /// Bluetooth adapters that the configuration names.
  public var bluetoothAdapters: [BluetoothAddress]
  /// `discovery.probe`: strangers behind bridge chips may be asked who they are.
  public var probe: Bool

  public init(
    adapters: [String] = [], receivers: [String] = [], bluetoothAdapters: [BluetoothAddress] = [], probe: Bool = false
  ) {
    self.adapters = adapters
    self.receivers = receivers
    self.bluetoothAdapters = bluetoothAdapters
    self.probe = probe
  }

  /// What to do with a serial device.
  ///
  /// - Parameter heard: what listening to it brought; nil: not listened to yet.
  public func verdict(for device: DeviceIdentity, heard: Listener.Heard? = nil) -> DeviceVerdict {
    // The machine's own word stands above the configuration's: it is the one that knows what else is plugged in.
    if device.tag == "ignore" { return .leave(.ignored) }
    if adapters.contains(where: device.isNamed) { return .adapter(.configured) }
    if receivers.contains(where: device.isNamed) { return .receiver(.configured) }
    if device.tag == "adapter" { return .adapter(.tagged) }
    // A line that is not on USB may be the machine's console.
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

  /// What to do with a Bluetooth device.
  public func verdict(for device: BluetoothDevice) -> DeviceVerdict {
    if bluetoothAdapters.contains(device.address) { return .adapter(.configured) }
    let isKnown = KnownProducts.isAdapterName(device.name) || KnownProducts.isAdapterName(device.alias)
    if device.isLowEnergy { return lowEnergyVerdict(device, isKnown: isKnown) }
    // Before it is paired a device may not have said what services it has.
    guard device.isPaired else { return .leave(isKnown || device.hasSerialPort ? .notPaired : .unrelated) }
    guard device.hasSerialPort else { return .leave(isKnown ? .noSerialPort : .unrelated) }
    if isKnown { return .adapter(.knownProduct) }
    return probe ? .adapter(.probe) : .leave(.notProbed)
  }

  /// The services stand for serial lines of any kind: scales and lamps have them, too. And most adapters want no pairing,
  /// so that one without may be in the next car.
  private func lowEnergyVerdict(_ device: BluetoothDevice, isKnown: Bool) -> DeviceVerdict {
    guard device.isPaired || device.isTrusted else { return .leave(isKnown ? .notTrusted : .unrelated) }
    if isKnown { return .adapter(.knownProduct) }
    guard device.hasAdapterService else { return .leave(.unrelated) }
    return probe ? .adapter(.probe) : .leave(.notProbed)
  }
}
