import GatewayOutput
import Ports

/// Watches udev for serial devices that appear, change or disappear. Only one thread may use it.
final class SerialWatch {
  enum Change {
    case event(DeviceEvent)
    /// The complete list of devices that are present, because some events were missed.
    case all([DeviceIdentity])
  }

  private var monitor: DeviceMonitor

  /// Begins to watch. If udev is not available, this is logged, and the result is `nil`. Configured devices can be used
  /// without udev.
  init?() {
    do throws(DiscoveryError) {
      monitor = try DeviceMonitor()
    } catch {
      Log.write("\(error.description); adapters are not found by themselves", .warning)
      return nil
    }
  }

  /// A file descriptor for poll(2) that becomes readable when a device changes.
  var descriptor: Int32 { monitor.descriptor }

  /// Returns all serial devices that are present; `nil` if udev fails.
  func present() -> [DeviceIdentity]? {
    do throws(DiscoveryError) {
      return try monitor.present()
    } catch {
      Log.write(error.description, .warning)
      return nil
    }
  }

  /// Returns the next change; `nil` if there is no further change now.
  func next() -> Change? {
    if let event = monitor.next() { return .event(event) }
    return monitor.hasMissed ? present().map { .all($0) } : nil
  }
}
