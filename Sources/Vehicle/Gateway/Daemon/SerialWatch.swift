import Ports

/// udev's word on serial devices. One thread has it.
final class SerialWatch {
  enum Change {
    case event(DeviceEvent)
    /// Events were missed: the whole list.
    case all([DeviceIdentity])
  }

  private var monitor: DeviceMonitor

  /// nil where udev cannot be asked, which is said: devices that the configuration names are tried all the same.
  init?() {
    do throws(DiscoveryError) {
      monitor = try DeviceMonitor()
    } catch {
      Log.write("\(error.description); adapters are not found by themselves", .warning)
      return nil
    }
  }

  /// For `poll(2)`.
  var descriptor: Int32 { monitor.descriptor }

  /// The devices that are there; nil where nobody can tell.
  func present() -> [DeviceIdentity]? {
    do throws(DiscoveryError) {
      return try monitor.present()
    } catch {
      Log.write(error.description, .warning)
      return nil
    }
  }

  /// What has changed; nil: no more now.
  func next() -> Change? {
    if let event = monitor.next() { return .event(event) }
    return monitor.hasMissed ? present().map { .all($0) } : nil
  }
}
