import CUdev
import Glibc

/// Serial devices come and go.
public enum DeviceEvent: Hashable, Sendable {
  /// Plugged in, or changed.
  case present(DeviceIdentity)
  /// Unplugged. Its parents are gone already: nothing but these two tells which it was.
  case absent(node: String, systemPath: String)
}

/// Which serial devices the machine has, by libudev, and which come and go.
///
/// One thread owns it, and calls:
///
/// 1. ``present()`` for those that are there; what comes meanwhile is not missed.
/// 2. ``next()`` whenever `descriptor` is readable, until it returns nil.
/// 3. 1 again where ``hasMissed`` says so.
@safe
public struct DeviceMonitor: ~Copyable {
  private let context: OpaquePointer
  private let monitor: OpaquePointer

  /// True once the kernel had more to say than we had room for.
  public private(set) var hasMissed = false

  /// - Throws: ``DiscoveryError`` where the kernel's messages cannot be had.
  public init() throws(DiscoveryError) {
    guard let context = unsafe udev_new() else { throw DiscoveryError(.system, "libudev: \(systemReason(errno))") }
    // Without udevd nobody names links and serial numbers, but the kernel still says what comes and goes.
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

  /// For `poll(2)`: readable when ``next()`` has something.
  public var descriptor: Int32 { unsafe udev_monitor_get_fd(monitor) }

  /// The serial devices that are there now, in no order.
  ///
  /// - Throws: ``DiscoveryError`` where /sys cannot be read.
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

  /// The next event; nil: no more now.
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
      // "add" and "bind", "change" where a rule or a link is new, "move".
      default:
        if let identity = unsafe DeviceIdentity(device) { return .present(identity) }
      }
    }
  }
}

/// A C string that may be missing.
func text(_ pointer: UnsafePointer<CChar>?) -> String { unsafe pointer.map { unsafe String(cString: $0) } ?? "" }
