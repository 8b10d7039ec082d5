import GatewayOutput
import Ports

/// Watches the serial devices that udev reports. Only one thread uses it.
final class SerialWatch {
  enum Change {
    case event(DeviceEvent)
    /// The complete list, because events were missed.
    case all([DeviceIdentity])
  }

  private var monitor: DeviceMonitor

  /// Starts watching. `nil` if udev is not available, which is logged; configured devices are used anyway.
  init?() {
    do throws(DiscoveryError) {
      monitor = try DeviceMonitor()
    } catch {
      Log.write("\(error.description); adapters are not found by themselves", .warning)
      return nil
    }
  }

  /// Descriptor for `poll(2)`.
  var descriptor: Int32 { monitor.descriptor }

  /// Returns the present devices; `nil` if udev fails.
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
