/// Lists the Bluetooth devices that BlueZ knows (org.bluez, D-Bus ObjectManager).
///
///     let directory = try BluetoothDirectory()
///     for device in try directory.devices() { print(device.address, device.name) }
///
/// Listing these devices does not use the radio. Only ``inquire(for:)`` searches for other devices; a search disturbs
/// active connections.
public struct BluetoothDirectory: ~Copyable {
  private let bluez: BlueZ
  private let patience: Duration

  /// Connects to the system bus.
  ///
  /// - Parameter patience: maximum time to wait for each answer of bluetoothd. Such an answer does not need the radio.
  /// - Throws: ``DiscoveryError`` with the reason why Bluetooth devices cannot be listed.
  public init(patience: Duration = .seconds(2)) throws(DiscoveryError) {
    do throws(BusError) { bluez = try BlueZ(SystemBus(), until: BootClock.after(patience)) } catch {
      throw DiscoveryError(error)
    }
    self.patience = patience
  }

  /// Returns the devices that BlueZ knows because they are paired or were found recently, sorted by address.
  public borrowing func devices() throws(DiscoveryError) -> [BluetoothDevice] { try objects().devices }

  /// Returns the Bluetooth controllers that BlueZ knows, sorted by name.
  public borrowing func controllers() throws(DiscoveryError) -> [BluetoothController] {
    try objects().controllers.map { controller in
      let name = controller.path.split(separator: "/").last.map(String.init) ?? controller.path
      return BluetoothController(name: name, isPowered: controller.isPowered)
    }.sorted { $0.name < $1.name }
  }

  /// Searches for devices on all controllers for the time `duration`, and then returns all known devices.
  public borrowing func inquire(for duration: Duration) throws(DiscoveryError) -> [BluetoothDevice] {
    let controllers = try objects().controllers.map(\.path)
    guard !controllers.isEmpty else {
      throw DiscoveryError(
        .noController, "Bluetooth not searched: no controller; plug one in, or rfkill unblock bluetooth")
    }
    defer { for path in controllers { bluez.stopDiscovery(path) } }
    do throws(BusError) {
      for path in controllers { try bluez.startDiscovery(path, "auto", until: BootClock.after(patience)) }
      let deadline = BootClock.after(duration)
      while BootClock.now < deadline {
        while try bluez.bus.next() != nil, BootClock.now < deadline {}
        do throws(BusError) { try bluez.bus.wait(until: deadline, unless: nil) } catch {
          guard error == .timedOut else { throw error }
        }
      }
    } catch { throw DiscoveryError(error) }
    return try objects().devices
  }

  private borrowing func objects() throws(DiscoveryError) -> ManagedObjects {
    do throws(BusError) { return try bluez.objects(until: BootClock.after(patience)) } catch {
      throw DiscoveryError(error)
    }
  }
}

extension DiscoveryError {
  fileprivate init(_ error: BusError) {
    let kind: Kind =
      switch error {
      case .noLibrary: .noLibrary
      case .noBus, .lost: .noBus
      case .malformed: .malformed
      case .timedOut, .interrupted: .system
      case .refused:
        if error.isWithoutService {
          .noBluetoothService
        } else if error.isForbidden {
          .notPermitted
        } else if error.isPoweredOff {
          .noController
        } else {
          .system
        }
      }
    self.init(kind, "Bluetooth not searched: \(error.sentence)")
  }
}
