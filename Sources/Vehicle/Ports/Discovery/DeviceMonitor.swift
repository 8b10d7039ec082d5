import CUdev
import Failures
import Glibc

/// A change of a serial device.
public enum DeviceEvent: Hashable, Sendable {
  /// A device was plugged in, or its properties changed.
  case present(DeviceIdentity)
  /// A device was unplugged. Only these two properties identify it, because udev no longer knows the others.
  case absent(node: String, systemPath: String)
}

/// Lists the serial devices of this machine and reports changes of them, using libudev.
///
/// Only one thread may use a monitor. It proceeds as follows:
///
/// 1. Call ``present()`` to get the current devices. Changes during the call are not lost.
/// 2. Whenever `descriptor` is readable, call ``next()`` until it returns `nil`.
/// 3. Repeat step 1 if ``hasMissed`` is `true`.
@safe
public struct DeviceMonitor: ~Copyable {
  private let context: OpaquePointer
  private let monitor: OpaquePointer

  /// Whether events were lost because the kernel's buffer was full.
  public private(set) var hasMissed = false

  /// Subscribes to events about serial devices.
  ///
  /// - Throws: ``DiscoveryError`` if the subscription fails.
  public init() throws(DiscoveryError) {
    guard let context = unsafe udev_new() else { throw DiscoveryError(.system, "libudev: \(systemReason(errno))") }
    // Without udevd, the kernel itself reports changes, but links and serial numbers of devices are missing.
    let source = unsafe access("/run/udev/control", F_OK) == 0 ? "udev" : "kernel"
    guard let monitor = unsafe udev_monitor_new_from_netlink(context, source) else {
      let reason = systemReason(errno)
      unsafe udev_unref(context)
      throw DiscoveryError(.system, "no device events: \(reason)")
    }
    unsafe udev_monitor_filter_add_match_subsystem_devtype(monitor, "tty", nil)
    let code = unsafe udev_monitor_enable_receiving(monitor)
    guard code >= 0 else {
      unsafe udev_monitor_unref(monitor)
      unsafe udev_unref(context)
      throw DiscoveryError(.system, "no device events: \(systemReason(-code))")
    }
    unsafe self.context = context
    unsafe self.monitor = monitor
  }

  deinit {
    unsafe udev_monitor_unref(monitor)
    unsafe udev_unref(context)
  }

  /// The descriptor for poll(2). It is readable when an event has arrived for ``next()``.
  public var descriptor: Int32 { unsafe udev_monitor_get_fd(monitor) }

  /// Returns the current serial devices in no particular order.
  ///
  /// - Throws: ``DiscoveryError`` if /sys cannot be read.
  public mutating func present() throws(DiscoveryError) -> [DeviceIdentity] {
    hasMissed = false
    guard let list = unsafe udev_enumerate_new(context) else {
      throw DiscoveryError(.system, "libudev: \(systemReason(errno))")
    }
    defer { unsafe udev_enumerate_unref(list) }
    unsafe udev_enumerate_add_match_subsystem(list, "tty")
    let code = unsafe udev_enumerate_scan_devices(list)
    guard code >= 0 else { throw DiscoveryError(.system, "/sys: \(systemReason(-code))") }
    var found: [DeviceIdentity] = []
    var entry = unsafe udev_enumerate_get_list_entry(list)
    while let current = unsafe entry {
      if let path = unsafe udev_list_entry_get_name(current),
        let device = unsafe udev_device_new_from_syspath(context, path)
      {
        if let identity = unsafe DeviceIdentity(device) { found.append(identity) }
        unsafe udev_device_unref(device)
      }
      unsafe entry = unsafe udev_list_entry_get_next(current)
    }
    return found
  }

  /// Returns the next event; `nil` if there is none.
  public mutating func next() -> DeviceEvent? {
    while true {
      errno = 0
      guard let device = unsafe udev_monitor_receive_device(monitor) else {
        if errno == ENOBUFS { hasMissed = true }
        return nil
      }
      defer { unsafe udev_device_unref(device) }
      switch unsafe text(udev_device_get_action(device)) {
      case "remove":
        let node = unsafe text(udev_device_get_devnode(device))
        if !node.isEmpty { return unsafe .absent(node: node, systemPath: text(udev_device_get_syspath(device))) }
      // The action is "add", "bind" or "move", or it is "change" because a rule or a link is new.
      default:
        if let identity = unsafe DeviceIdentity(device) { return .present(identity) }
      }
    }
  }
}

/// Converts a C string to a `String`; `nil` becomes an empty text.
func text(_ pointer: UnsafePointer<CChar>?) -> String { unsafe pointer.map { unsafe String(cString: $0) } ?? "" }
