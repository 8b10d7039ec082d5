import GatewayOutput
import Ports

/// Watches which serial devices udev reports. Only one thread may use it.
final class SerialWatch {
  enum Change {
    case event(DeviceEvent)
    /// The complete list of devices, because some events were missed.
    case all([DeviceIdentity])
  }

  private var monitor: DeviceMonitor

  /// Starts to watch. Returns `nil` if udev is not available, which is logged. Configured devices can be used without
  /// it.
  init?() {
    do throws(DiscoveryError) {
      monitor = try DeviceMonitor()
    } catch {
      Log.write("\(error.description); adapters are not found by themselves", .warning)
      return nil
    }
  }

  /// The descriptor that poll(2) watches for changes.
  var descriptor: Int32 { monitor.descriptor }

  /// Returns the devices that are present; `nil` if udev fails.
  func present() -> [DeviceIdentity]? {
    do throws(DiscoveryError) {
      return try monitor.present()
    } catch {
      Log.write(error.description, .warning)
      return nil
    }
  }

  /// Returns the next change; `nil` if there is none now.
  func next() -> Change? {
    if let event = monitor.next() { return .event(event) }
    return monitor.hasMissed ? present().map { .all($0) } : nil
  }
}
