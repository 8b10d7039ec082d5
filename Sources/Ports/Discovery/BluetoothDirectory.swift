/// Asks BlueZ, over the system bus, which Bluetooth devices there are (org.bluez, D-Bus ObjectManager).
///
/// Devices that the machine is paired with are known without any radio; an inquiry, which disturbs connections that run,
/// only happens when somebody asks for it.
public struct BluetoothDirectory: ~Copyable {
  private let bluez: BlueZ
  private let patience: Duration

  /// Connects to the system bus.
  ///
  /// - Parameter patience: for each answer; bluetoothd has it in memory.
  /// - Throws: ``DiscoveryError`` with the one reason why Bluetooth devices cannot be looked for.
  public init(patience: Duration = .seconds(2)) throws(DiscoveryError) {
    do throws(BusError) { bluez = try BlueZ(SystemBus(), until: BootClock.after(patience)) } catch {
      throw DiscoveryError(error)
    }
    self.patience = patience
  }

  /// The devices that BlueZ knows: paired, and heard in a recent inquiry; sorted by address.
  public borrowing func devices() throws(DiscoveryError) -> [BluetoothDevice] { try objects().devices }

  /// The controllers that BlueZ has, sorted by name.
  public borrowing func controllers() throws(DiscoveryError) -> [BluetoothController] {
    try objects().controllers.map { controller in
      let name = controller.path.split(separator: "/").last.map(String.init) ?? controller.path
      return BluetoothController(name: name, isPowered: controller.isPowered)
    }.sorted { $0.name < $1.name }
  }

  /// Lets every controller listen for devices around for so long, and returns what is known then.
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
