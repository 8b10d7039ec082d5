/// BlueZ (`org.bluez`) on the system bus: questions to it, and which messages are its own.
final class BlueZ {
  let bus: SystemBus
  /// The unique name of bluetoothd on the bus, as long as it runs: anybody may send a signal, and the bus vouches for
  /// nothing but this name.
  let owner: String

  private static let busService = "org.freedesktop.DBus"

  /// Asks the bus who BlueZ is, and to be told when that changes.
  ///
  /// - Throws: where nobody is.
  init(_ bus: SystemBus, until deadline: Int64, unless wakeUp: WakeUp? = nil) throws(BusError) {
    self.bus = bus
    let rule =
      "type='signal',sender='\(Self.busService)',interface='\(Self.busService)',member='NameOwnerChanged',arg0='org.bluez'"
    _ = try bus.call(Self.busCall(bus, "AddMatch").text(rule), until: deadline, unless: wakeUp)
    let answer = try bus.call(Self.busCall(bus, "GetNameOwner").text("org.bluez"), until: deadline, unless: wakeUp)
    guard let owner = answer.text() else { throw .malformed }
    self.owner = owner
  }

  private static func busCall(_ bus: SystemBus, _ method: String) -> BusCall {
    BusCall(bus, busService, "/org/freedesktop/DBus", busService, method)
  }

  /// Asks for signals of BlueZ that fit a rule (D-Bus Specification, "Match Rules"), its sender left out.
  func watch(_ rule: String, until deadline: Int64, unless wakeUp: WakeUp?) throws(BusError) {
    let whole = "type='signal',sender='\(owner)',\(rule)"
    _ = try bus.call(Self.busCall(bus, "AddMatch").text(whole), until: deadline, unless: wakeUp)
  }

  /// A call of a method, without arguments so far.
  func asking(_ path: String, _ interface: String, _ method: String) -> BusCall {
    BusCall(bus, owner, path, interface, method)
  }

  /// A method of a device or a controller that has no arguments.
  @discardableResult
  func call(
    _ path: String, _ interface: String, _ method: String, until deadline: Int64, unless wakeUp: WakeUp? = nil,
    telling listener: (any BusListener)? = nil
  ) throws(BusError) -> BusMessage {
    try bus.call(asking(path, interface, method), until: deadline, unless: wakeUp, telling: listener)
  }

  /// All that BlueZ has: controllers, devices, services.
  func objects(until deadline: Int64, unless wakeUp: WakeUp? = nil, telling listener: (any BusListener)? = nil)
    throws(BusError) -> ManagedObjects
  {
    let answer = try call(
      "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", until: deadline, unless: wakeUp, telling: listener
    )
    guard let objects = ManagedObjects(reading: answer) else { throw .malformed }
    return objects
  }

  /// Takes a rule back.
  func unwatch(_ rule: String) {
    // Of a bus that is gone nothing comes any more.
    try? bus.post(Self.busCall(bus, "RemoveMatch").text("type='signal',sender='\(owner)',\(rule)"))
  }

  /// Has a controller listen for devices around, until it is asked to stop or we leave the bus.
  ///
  /// - Parameter transport: `le`, `bredr`, or `auto` for both in turns.
  func startDiscovery(
    _ controller: String, _ transport: String, until deadline: Int64, unless wakeUp: WakeUp? = nil,
    telling listener: (any BusListener)? = nil
  ) throws(BusError) {
    let filter = asking(controller, "org.bluez.Adapter1", "SetDiscoveryFilter").options(["Transport": transport])
    _ = try bus.call(filter, until: deadline, unless: wakeUp, telling: listener)
    try call(controller, "org.bluez.Adapter1", "StartDiscovery", until: deadline, unless: wakeUp, telling: listener)
  }

  func stopDiscovery(_ controller: String) {
    // Should it not be heard, BlueZ ends the search when we leave the bus.
    try? bus.post(asking(controller, "org.bluez.Adapter1", "StopDiscovery"))
  }

  /// Listens for a device that BlueZ does not know.
  ///
  /// - Parameters:
  ///   - controllers: those that are on.
  ///   - transport: `le` or `bredr`.
  ///   - moment: of ``BootClock``: until when it is listened for.
  /// - Returns: the device's object; nil: it was not heard.
  func discover(
    _ address: BluetoothAddress, by controllers: [String], _ transport: String, until moment: Int64,
    unless wakeUp: WakeUp?, telling listener: (any BusListener)?
  ) throws(BusError) -> String? {
    let rule = "interface='org.freedesktop.DBus.ObjectManager',member='InterfacesAdded'"
    var listening: [String] = []
    defer {
      for path in listening { stopDiscovery(path) }
      unwatch(rule)
    }
    do throws(BusError) {
      try watch(rule, until: moment, unless: wakeUp)
      for path in controllers {
        // Before the answer: one that comes too late has begun all the same.
        listening.append(path)
        try startDiscovery(path, transport, until: moment, unless: wakeUp, telling: listener)
      }
      // It may have turned up while nobody watched.
      if let known = try objects(until: moment, unless: wakeUp, telling: listener).device(address) { return known.path }
      while true {
        while let message = try bus.next() {
          if sent(message), message.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesAdded"),
            let path = message.text("o"), BluetoothAddress(objectPath: path) == address
          {
            return path
          }
          listener?.heard(message)
          if BootClock.now >= moment { return nil }
        }
        try bus.wait(until: moment, unless: wakeUp)
      }
    } catch {
      guard error == .timedOut else { throw error }
      return nil
    }
  }

  /// Whether BlueZ sent it.
  func sent(_ message: BusMessage) -> Bool { message.sender == owner }

  /// Whether it says that this bluetoothd is no more.
  func hasEnded(_ message: BusMessage) -> Bool {
    guard message.isSignal(Self.busService, "NameOwnerChanged"), message.sender == Self.busService,
      message.text() == "org.bluez", message.text() != nil
    else { return false }
    return message.text() != owner
  }
}

/// What has changed of an object's properties (org.freedesktop.DBus.Properties, PropertiesChanged).
extension BusMessage {
  /// Goes through the properties of that interface; nothing where the message is about others.
  ///
  /// - Parameter property: reads its value (`v`), or leaves it.
  func eachProperty(of interface: String, _ property: (String) -> Bool) {
    guard isSignal("org.freedesktop.DBus.Properties", "PropertiesChanged"), text() == interface else { return }
    _ = each("{sv}") {
      guard let key = text() else { return false }
      return property(key)
    }
  }
}
