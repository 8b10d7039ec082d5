import CSystemd
import Glibc

/// Asks BlueZ, over the system bus, which Bluetooth devices there are (org.bluez, D-Bus ObjectManager).
///
/// Devices that the machine is paired with are known without any radio; an inquiry, which disturbs connections that run,
/// only happens when somebody asks for it.
@safe
public struct BluetoothDirectory: ~Copyable {
  private let bus: OpaquePointer
  /// Two seconds for an answer: bluetoothd has it in memory.
  private static let patience: UInt64 = 2_000_000

  /// Connects to the system bus.
  ///
  /// - Throws: ``DiscoveryError`` with the one reason why Bluetooth devices cannot be looked for.
  public init() throws(DiscoveryError) {
    guard csystemd_load() == 0 else {
      throw DiscoveryError(
        .noLibrary, "Bluetooth not searched: libsystemd.so.0 is not installed; apt install libsystemd0")
    }
    var opened: OpaquePointer?
    let code = unsafe csystemd_bus_open(&opened)
    guard code >= 0, let bus = unsafe opened else {
      let reason = systemReason(-code)
      throw DiscoveryError(.noBus, "Bluetooth not searched: no D-Bus system bus (\(reason)); start dbus")
    }
    unsafe self.bus = bus
  }

  deinit { unsafe csystemd_bus_close(bus) }

  /// The devices that BlueZ knows: paired, and heard in a recent inquiry; sorted by address.
  public borrowing func devices() throws(DiscoveryError) -> [BluetoothDevice] { try objects().devices }

  /// Lets every controller listen for devices around for so long, and returns what is known then.
  public borrowing func inquire(for duration: Duration) throws(DiscoveryError) -> [BluetoothDevice] {
    let controllers = try objects().controllers
    guard !controllers.isEmpty else {
      throw DiscoveryError(
        .noController, "Bluetooth not searched: no controller; plug one in, or rfkill unblock bluetooth")
    }
    var started: [String] = []
    defer {
      // Should one not stop for the asking, BlueZ ends it when we leave the bus.
      for path in started { _ = try? call(path, "org.bluez.Adapter1", "StopDiscovery") }
    }
    for path in controllers {
      // Serial ports are a thing of classic Bluetooth: listening for that alone finds them in half the time.
      try call(path, "org.bluez.Adapter1", "SetDiscoveryFilter", option: ("Transport", "bredr"))
      try call(path, "org.bluez.Adapter1", "StartDiscovery")
      started.append(path)
    }
    let deadline = BootClock.after(duration)
    while BootClock.now < deadline {
      let left = UInt64(clamping: (deadline - BootClock.now) / 1_000)
      let code = unsafe csystemd_bus_wait(bus, left)
      guard code >= 0 || code == -EINTR else {
        throw DiscoveryError(.noBus, "Bluetooth search broke off: \(systemReason(-code))")
      }
    }
    return try objects().devices
  }

  private func objects() throws(DiscoveryError) -> ManagedObjects {
    let answer = try call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    guard let message = unsafe answer.message, let objects = unsafe ManagedObjects(reading: message) else {
      throw DiscoveryError(.malformed, "Bluetooth not searched: bluetoothd's list of devices cannot be read")
    }
    return objects
  }

  /// Calls a method of BlueZ.
  @discardableResult
  private func call(
    _ path: String, _ interface: String, _ method: String, option: (key: String, value: String)? = nil
  ) throws(DiscoveryError) -> BusAnswer {
    var answer: OpaquePointer?
    var failure = csystemd_error()
    let patience = BluetoothDirectory.patience
    let code: Int32
    if let option {
      code = unsafe csystemd_call_with_option(
        bus, "org.bluez", path, interface, method, option.key, option.value, patience, &answer, &failure)
    } else {
      code = unsafe csystemd_call(bus, "org.bluez", path, interface, method, patience, &answer, &failure)
    }
    guard code >= 0 else {
      throw BluetoothDirectory.error(name: failure.nameText, text: failure.messageText, code: code)
    }
    return unsafe BusAnswer(message: answer)
  }

  private static func error(name: String, text: String, code: Int32) -> DiscoveryError {
    switch name {
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
      DiscoveryError(
        .noBluetoothService, "Bluetooth not searched: bluetoothd is not running; apt install bluez, or start bluetooth")
    case "org.freedesktop.DBus.Error.AccessDenied":
      DiscoveryError(.notPermitted, "Bluetooth not searched: no permission; add the user to the group bluetooth")
    case "org.bluez.Error.NotReady":
      DiscoveryError(.noController, "Bluetooth not searched: the controller is off; bluetoothctl power on")
    default:
      DiscoveryError(.system, "Bluetooth not searched: \(text.isEmpty ? systemReason(-code) : text.oneLine)")
    }
  }
}

/// What a call was answered, let go of with its owner.
@safe
private struct BusAnswer: ~Copyable {
  let message: OpaquePointer?

  deinit { unsafe csystemd_message_release(message) }
}

extension csystemd_error {
  fileprivate var nameText: String { unsafe withUnsafeBytes(of: name) { unsafe csystemd_error.text($0) } }
  fileprivate var messageText: String { unsafe withUnsafeBytes(of: text) { unsafe csystemd_error.text($0) } }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}

extension String {
  /// Up to the first line end: a service's words are not ours to spread over several.
  fileprivate var oneLine: String { String(prefix { !$0.isNewline }) }
}
