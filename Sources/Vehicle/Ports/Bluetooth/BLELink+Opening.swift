/// Connects to a Bluetooth LE device by its address, and finds its serial characteristics.
extension BLELink {
  /// Maximum time to search for a device that BlueZ does not know. Ten seconds are enough, because adapters advertise
  /// several times a second.
  private static let listening = Duration.seconds(10)
  private static let deviceInterface = "org.bluez.Device1"
  private static let characteristicInterface = "org.bluez.GattCharacteristic1"

  /// The two conditions that end an operation early: a deadline and a wake-up.
  struct Limit {
    /// Deadline, a time of ``BootClock``.
    let deadline: Int64
    let wakeUp: WakeUp?
  }

  /// Connects to the device unless BlueZ is already connected to it, and finds the serial characteristics in its
  /// services.
  ///
  /// - Parameters:
  ///   - address: address of the device.
  ///   - name: name of the port in messages.
  ///   - bus: address of a bus other than the system bus; `nil` for the system bus.
  ///   - deadline: time of ``BootClock`` at which the attempt ends.
  ///   - wakeUp: ends the attempt when it is signalled; `nil` for none.
  static func open(
    _ address: BluetoothAddress, _ name: String, bus: String?, until deadline: Int64, unless wakeUp: WakeUp?
  ) throws(PortError) -> BLELink {
    let limit = Limit(deadline: deadline, wakeUp: wakeUp)
    let bluez: BlueZ
    do throws(BusError) { bluez = try BlueZ(SystemBus(address: bus), until: deadline, unless: wakeUp) } catch {
      throw error.portError(name)
    }
    let link = try BLELink(name, bluez)
    do throws(PortError) {
      try link.findDevice(address, limit)
      try link.connect(limit)
      try link.findLine(limit)
      if let end = link.end { throw end }
      link.begin()
      return link
    } catch {
      link.close()
      throw error
    }
  }

  /// Performs a call of BlueZ, and converts its error to a port error.
  private func perform<Value>(_ call: () throws(BusError) -> Value) throws(PortError) -> Value {
    do throws(BusError) { return try call() } catch { throw error.portError(name) }
  }

  private func objects(_ limit: Limit) throws(PortError) -> ManagedObjects {
    try perform { () throws(BusError) in try bluez.objects(until: limit.deadline, unless: limit.wakeUp, telling: self) }
  }

  /// Processes messages until `isSo` returns `true` or the connection has ended.
  private func wait(_ limit: Limit, until isSo: () -> Bool) throws(BusError) {
    while true {
      while !isSo(), end == nil, let message = try bluez.bus.next() {
        receive(message)
        if BootClock.now >= limit.deadline { throw .timedOut }
      }
      if isSo() || end != nil { return }
      try bluez.bus.wait(until: limit.deadline, unless: limit.wakeUp)
    }
  }

  // MARK: The device

  private func findDevice(_ address: BluetoothAddress, _ limit: Limit) throws(PortError) {
    let before = try objects(limit)
    let controllers = before.controllers.filter(\.isPowered).map(\.path)
    guard !controllers.isEmpty else {
      let remedy =
        before.controllers.isEmpty
        ? "no Bluetooth controller; plug one in, or rfkill unblock bluetooth"
        : "the Bluetooth controller is off; bluetoothctl power on"
      throw PortError(.noBluetooth, name, remedy)
    }
    if let known = before.device(address) {
      device = known.path
    } else {
      device = try discover(address, controllers, limit)
    }
    try perform { () throws(BusError) in
      try bluez.watch("path_namespace='\(device)'", until: limit.deadline, unless: limit.wakeUp)
      try bluez.watch(
        "interface='org.freedesktop.DBus.ObjectManager',member='InterfacesRemoved'", until: limit.deadline,
        unless: limit.wakeUp)
    }
    // The objects may have changed before the subscription began, so read them again.
    let known = try objects(limit).device(address)
    isConnected = known?.device.isConnected ?? false
    hasServices = known?.hasServices ?? false
    guard isConnected, let connection else { return }
    if let moment = connection.isOver { try awaitEnd(until: moment, limit) } else { didConnect = connection.claim() }
  }

  /// Waits for the end of the former connection, which this process has asked BlueZ to end.
  private func awaitEnd(until moment: Int64, _ limit: Limit) throws(PortError) {
    awaitsEnd = true
    defer { awaitsEnd = false }
    let patience = Limit(deadline: min(moment, limit.deadline), wakeUp: limit.wakeUp)
    do throws(BusError) { try wait(patience) { !isConnected } } catch {
      // After this time, another process may have established a new connection, so continue.
      guard error == .timedOut else { throw error.portError(name) }
    }
    if let end { throw end }
    if !isConnected { hasServices = false }
  }

  /// Searches for a device that BlueZ does not know yet.
  private func discover(_ address: BluetoothAddress, _ controllers: [String], _ limit: Limit) throws(PortError)
    -> String
  {
    let moment = min(limit.deadline, BootClock.after(Self.listening))
    let found = try perform { () throws(BusError) in
      try bluez.discover(address, by: controllers, "le", until: moment, unless: limit.wakeUp, telling: self)
    }
    guard let found else {
      throw PortError(.timedOut, name, "not found; is the adapter powered, in range, and not connected to a phone?")
    }
    return found
  }

  // MARK: The connection

  private func connect(_ limit: Limit) throws(PortError) {
    if !isConnected { try callConnect(limit) }
    do throws(BusError) { try wait(limit) { isConnected && hasServices } } catch {
      guard error == .timedOut, isConnected else { throw error.notConnected(name) }
      throw PortError(
        .timedOut, name,
        "connected, but it reports no services; for an adapter with classic Bluetooth write rfcomm:ADDRESS")
    }
    if let end { throw end }
  }

  private func callConnect(_ limit: Limit) throws(PortError) {
    do throws(BusError) {
      try bluez.call(
        device, Self.deviceInterface, "Connect", until: limit.deadline, unless: limit.wakeUp, telling: self)
      didConnect = true
      // The answer itself shows that the device is connected. BlueZ 5.66 sends no signal about the connection if it
      // sees the channel before the link, as with most adapters that connect again.
      isConnected = end == nil
    } catch {
      switch error {
      // Another process on this machine is connecting to or pairing with the device. If this process called Disconnect,
      // it would interrupt that process.
      case .refused("org.bluez.Error.AlreadyConnected", _), .refused("org.bluez.Error.InProgress", _): return
      // BlueZ may still establish the connection, so this process must end it.
      case .timedOut, .interrupted: didConnect = true
      default: break
      }
      throw error.notConnected(name)
    }
  }

  // MARK: The characteristics

  private func findLine(_ limit: Limit) throws(PortError) {
    let objects = try objects(limit)
    let below = device + "/"
    let services = objects.services.filter { $0.path.hasPrefix(below) }
    let found: SerialOverGATT
    do throws(SerialOverGATT.Absence) {
      found = try SerialOverGATT(services, objects.characteristics.filter { $0.path.hasPrefix(below) })
    } catch {
      let known = objects.known.first { $0.path == device }?.device
      isToBeForgotten = known.map { !$0.isPaired && !$0.isTrusted } ?? false
      throw PortError(.noSerialService, name, Self.absence(error, services))
    }
    serial = found
    try subscribe(found.input, limit)
    try prepareWriting(found.output, limit)
  }

  private static func absence(_ absence: SerialOverGATT.Absence, _ services: [GATTService]) -> String {
    switch absence {
    case .unusable(let service):
      return "its service \(service) has no characteristics to notify and to write; it is not a serial connection"
    case .noService:
      // Limit the length of the error message.
      let list = services.prefix(6).map(\.uuid.description).joined(separator: ", ")
      let has = services.isEmpty ? "no service" : services.count > 6 ? "\(list), …" : list
      return "no adapter's service (FFE0, FFF0, Nordic UART, 18F0), but \(has); is it the adapter's address?"
    }
  }

  private func subscribe(_ characteristic: GATTCharacteristic, _ limit: Limit) throws(PortError) {
    do throws(BusError) {
      let call = bluez.methodCall(characteristic.path, Self.characteristicInterface, "AcquireNotify").options()
      let answer = try bluez.bus.call(call, until: limit.deadline, unless: limit.wakeUp, telling: self)
      guard let socket = answer.descriptor() else { throw .malformed }
      attachInput(socket)
      return
    } catch { guard error.isNotSupported else { throw error.portError(name) } }
    // The first notification may arrive before the answer to this call.
    hearsMessages = true
    try perform { () throws(BusError) in
      _ = try bluez.call(
        characteristic.path, Self.characteristicInterface, "StartNotify", until: limit.deadline, unless: limit.wakeUp,
        telling: self)
    }
  }

  private func prepareWriting(_ characteristic: GATTCharacteristic, _ limit: Limit) throws(PortError) {
    packet = Self.packet(characteristic.mtu)
    output = .message(type: characteristic.takesCommands ? "command" : "request")
    guard characteristic.takesCommands else { return }
    do throws(BusError) {
      let call = bluez.methodCall(characteristic.path, Self.characteristicInterface, "AcquireWrite").options()
      let answer = try bluez.bus.call(call, until: limit.deadline, unless: limit.wakeUp, telling: self)
      guard let socket = answer.descriptor() else { throw .malformed }
      packet = Self.packet(answer.uint16().map { Int($0) })
      attachOutput(socket)
    } catch { guard error.isNotSupported else { throw error.portError(name) } }
  }

  /// Returns the number of bytes that fit in one write: the ATT_MTU minus 3 bytes for the operation code and the handle
  /// (Core Specification, volume 3, part F, 3.4.5). If the ATT_MTU is unknown, returns ``shortestPacket``.
  static func packet(_ mtu: Int?) -> Int {
    guard let mtu, mtu >= shortestPacket + 3 else { return shortestPacket }
    return min(mtu - 3, longestValue)
  }
}
