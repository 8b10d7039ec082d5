/// Calls BlueZ (`org.bluez`) on the system bus, and recognizes messages that BlueZ sends.
final class BlueZ {
  let bus: SystemBus
  /// The unique bus name of the running bluetoothd. Signals are accepted only from this name, because any process may
  /// send a signal, and the bus guarantees the sender's unique name.
  let owner: String

  private static let busService = "org.freedesktop.DBus"

  /// Finds the unique bus name of BlueZ, and subscribes to the signal that reports that this name has changed.
  ///
  /// - Throws: ``BusError`` if BlueZ is not running or the bus fails.
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

  /// Subscribes to the signals of BlueZ that match a rule. The rule must not contain a sender (D-Bus Specification,
  /// "Match Rules").
  func watch(_ rule: String, until deadline: Int64, unless wakeUp: WakeUp?) throws(BusError) {
    let whole = "type='signal',sender='\(owner)',\(rule)"
    _ = try bus.call(Self.busCall(bus, "AddMatch").text(whole), until: deadline, unless: wakeUp)
  }

  /// Creates a call of a method of BlueZ. Arguments may be appended.
  func methodCall(_ path: String, _ interface: String, _ method: String) -> BusCall {
    BusCall(bus, owner, path, interface, method)
  }

  /// Calls a method without arguments on a device or a controller, and waits for the answer.
  @discardableResult
  func call(
    _ path: String, _ interface: String, _ method: String, until deadline: Int64, unless wakeUp: WakeUp? = nil,
    telling listener: (any BusListener)? = nil
  ) throws(BusError) -> BusMessage {
    try bus.call(methodCall(path, interface, method), until: deadline, unless: wakeUp, telling: listener)
  }

  /// Reads all objects of BlueZ: controllers, devices, services and characteristics.
  func objects(until deadline: Int64, unless wakeUp: WakeUp? = nil, telling listener: (any BusListener)? = nil)
    throws(BusError) -> ManagedObjects
  {
    let answer = try call(
      "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", until: deadline, unless: wakeUp, telling: listener
    )
    guard let objects = ManagedObjects(reading: answer) else { throw .malformed }
    return objects
  }

  /// Ends the subscription to the signals of BlueZ that match a rule.
  func unwatch(_ rule: String) {
    // If the bus is gone, there are no more signals either.
    try? bus.post(Self.busCall(bus, "RemoveMatch").text("type='signal',sender='\(owner)',\(rule)"))
  }

  /// Starts the search for devices on a controller. The search ends when ``stopDiscovery(_:)`` is called, or when this
  /// process leaves the bus.
  ///
  /// - Parameter transport: `le` for Bluetooth LE, `bredr` for classic Bluetooth, or `auto` for both alternately.
  func startDiscovery(
    _ controller: String, _ transport: String, until deadline: Int64, unless wakeUp: WakeUp? = nil,
    telling listener: (any BusListener)? = nil
  ) throws(BusError) {
    let filter = methodCall(controller, "org.bluez.Adapter1", "SetDiscoveryFilter").options(["Transport": transport])
    _ = try bus.call(filter, until: deadline, unless: wakeUp, telling: listener)
    try call(controller, "org.bluez.Adapter1", "StartDiscovery", until: deadline, unless: wakeUp, telling: listener)
  }

  func stopDiscovery(_ controller: String) {
    // If this message is lost, the search still ends when this process leaves the bus.
    try? bus.post(methodCall(controller, "org.bluez.Adapter1", "StopDiscovery"))
  }

  /// Searches for a device that BlueZ does not know yet.
  ///
  /// - Parameters:
  ///   - address: address of the device.
  ///   - controllers: D-Bus paths of the controllers that are on.
  ///   - transport: `le` for Bluetooth LE, or `bredr` for classic Bluetooth.
  ///   - moment: time of ``BootClock`` at which the search ends.
  /// - Returns: the path of the device's D-Bus object; `nil` if the device was not found.
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
        // Store the path before the answer arrives. Even if the answer is late, the search has begun and must be ended.
        listening.append(path)
        try startDiscovery(path, transport, until: moment, unless: wakeUp, telling: listener)
      }
      // The device may have appeared before the subscription began.
      if let known = try objects(until: moment, unless: wakeUp, telling: listener).device(address) { return known.path }
      while true {
        while let message = try bus.next() {
          if sent(message), message.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesAdded"),
            let path = message.text("o"), BluetoothAddress(objectPath: path) == address
          {
            return path
          }
          listener?.receive(message)
          if BootClock.now >= moment { return nil }
        }
        try bus.wait(until: moment, unless: wakeUp)
      }
    } catch {
      guard error == .timedOut else { throw error }
      return nil
    }
  }

  /// Whether a message comes from BlueZ.
  func sent(_ message: BusMessage) -> Bool { message.sender == owner }

  /// Whether a message reports that the bluetoothd with the unique name ``owner`` has ended.
  func hasEnded(_ message: BusMessage) -> Bool {
    guard message.isSignal(Self.busService, "NameOwnerChanged"), message.sender == Self.busService,
      message.text() == "org.bluez", message.text() != nil
    else { return false }
    return message.text() != owner
  }
}

/// Reads the signal about changed properties of an object (org.freedesktop.DBus.Properties, PropertiesChanged).
extension BusMessage {
  /// Calls `property` for each changed property of an interface. Does nothing if the message is about another
  /// interface.
  ///
  /// - Parameter property: receives the name of a property. It must read the property's value (`v`) from the message,
  ///   or skip it.
  func eachProperty(of interface: String, _ property: (String) -> Bool) {
    guard isSignal("org.freedesktop.DBus.Properties", "PropertiesChanged"), text() == interface else { return }
    _ = each("{sv}") {
      guard let key = text() else { return false }
      return property(key)
    }
  }
}
