import Failures
import Glibc

/// An open connection to a Bluetooth LE device: its characteristics and the sockets or messages that transport the
/// bytes. `BLELink+Opening.swift` establishes it.
///
/// Notifications do not correspond to text lines. They are joined to one byte stream, and written bytes are split into
/// packets.
final class BLELink: BusListener {
  /// Greatest length of a characteristic's value (Core Specification, volume 3, part F, 3.2.9).
  static let longestValue = 512
  /// Capacity of a packet before the devices agree on more: an ATT_MTU of 23, less operation and handle.
  static let shortestPacket = 20
  /// The most messages or packets of one read, so that a device that sends continuously does not delay deadlines.
  private static let batch = 64

  /// The transport of writes.
  enum Output {
    case none
    /// A socket from BlueZ. Each packet is one write without response.
    case socket
    /// WriteValue calls of the type `command` (without response) or `request` (with response). Each waits for the
    /// answer to the previous one.
    case message(type: String)
  }

  /// Numbers of the watched descriptors.
  private enum Watched {
    static let bus = 0
    static let input = 1
    static let output = 2
    static let wakeUp = 3
  }

  let name: String
  let bluez: BlueZ
  /// The device's object on the bus; empty before it is known.
  var device = ""
  var serial: SerialOverGATT?
  var isConnected = false
  var hasServices = false
  /// Whether this process established the connection, and so must end it.
  var didConnect = false
  /// Whether BlueZ should forget the device when it is closed: its known services have no serial characteristics and
  /// may be out of date, and the device is neither paired nor trusted.
  var isToBeForgotten = false
  /// Whether a disconnect is in progress, whose completion must be ignored.
  var awaitsEnd = false
  /// Whether notifications arrive as messages.
  var hearsMessages = false
  var output = Output.none
  /// Capacity of one write in bytes.
  var packet = BLELink.shortestPacket
  /// The reason why the connection ended; `nil` while it is open. Received bytes are read before it is reported.
  private(set) var end: PortError?

  private let watch: Watch
  private let wakeUp: WakeUp
  private var inputSocket = Descriptor()
  private var outputSocket = Descriptor()
  private var input = ByteQueue(capacity: 8 * BLELink.longestValue)
  /// Number of the write that has not been answered; `nil` if there is none.
  private var cookie: UInt64?
  private var awaitsRoom = false
  private var busEvents: Int32 = 0

  init(_ name: String, _ bluez: BlueZ) throws(PortError) {
    self.name = name
    self.bluez = bluez
    watch = try Watch(for: name)
    wakeUp = try WakeUp()
    watch.set(wakeUp.descriptor, POLLIN, number: Watched.wakeUp)
    watchBus()
  }

  /// Readable when bytes, room for writing or messages may be available.
  var descriptor: Int32 { watch.descriptor }

  func takeInput(_ socket: consuming Descriptor) {
    inputSocket = socket
    watch.set(inputSocket.number, POLLIN, number: Watched.input)
  }

  func takeOutput(_ socket: consuming Descriptor) {
    outputSocket = socket
    output = .socket
    watch.set(outputSocket.number, 0, number: Watched.output)
  }

  /// Completes the opening. Signals the descriptor if bytes arrived during opening.
  func begin() { if input.count > 0 { wakeUp.signal() } }

  /// The actions of this process on the connection; `nil` before the device is known.
  var connection: OwnConnection? { device.isEmpty ? nil : OwnConnection(bluez.bus, device: device) }

  /// Ends the connection if this process established it. If the known services had no serial characteristics, BlueZ
  /// also forgets the device, so that it reads them again next time: an adapter may accept connections before it offers
  /// all services.
  func close() {
    inputSocket.close()
    outputSocket.close()
    guard didConnect, let connection else { return }
    didConnect = false
    connection.wasEnded()
    // Delivery does not matter: without a receiver, the connection has ended already.
    try? bluez.bus.post(bluez.methodCall(device, "org.bluez.Device1", "Disconnect"))
    guard isToBeForgotten, let end = device.lastIndex(of: "/") else { return }
    let forget = bluez.methodCall(String(device[..<end]), "org.bluez.Adapter1", "RemoveDevice")
    try? bluez.bus.post(forget.text(device, as: "o"))
  }

  func finish(_ kind: PortError.Kind, _ detail: String) { end = end ?? PortError(kind, name, detail) }

  // MARK: Bytes

  func read(into buffer: inout MutableSpan<UInt8>) throws(PortError) -> Int {
    takeIn()
    let count = input.take(into: &buffer)
    // Signal the descriptor, so that remaining bytes and the end of the connection are read without another event.
    if input.count > 0 || (count > 0 && end != nil) { wakeUp.signal() }
    if count == 0, let end { throw end }
    return count
  }

  func write(_ bytes: Span<UInt8>) throws(PortError) -> Int {
    if let end { throw end }
    switch output {
    case .none: throw .gone(name)
    case .socket: return try writePackets(bytes)
    case .message(let type): return try writeMessage(bytes, type)
    }
  }

  private func writePackets(_ bytes: Span<UInt8>) throws(PortError) -> Int {
    var done = 0
    var isFull = false
    while done < bytes.count, !isFull {
      let piece = bytes.extracting(done..<min(done + packet, bytes.count))
      let count = try outputSocket.write(piece, for: name, isSocket: true)
      done += count
      isFull = count == 0
    }
    if isFull != awaitsRoom {
      awaitsRoom = isFull
      watch.set(outputSocket.number, isFull ? POLLOUT : 0, number: Watched.output)
    }
    return done
  }

  private func writeMessage(_ bytes: Span<UInt8>, _ type: String) throws(PortError) -> Int {
    guard cookie == nil, bytes.count > 0, let serial else { return 0 }
    let piece = bytes.extracting(first: min(packet, bytes.count))
    let call = bluez.methodCall(serial.output.path, "org.bluez.GattCharacteristic1", "WriteValue").bytes(piece).options(
      [
        "type": type
      ])
    do throws(BusError) { cookie = try bluez.bus.send(call) } catch { throw error.portError(name) }
    watchBus()
    return piece.count
  }

  // MARK: Receiving

  /// Receives the available data, as far as there is room.
  private func takeIn() {
    let ready = watch.ready()
    let isRung = ready[Watched.wakeUp] != 0 && wakeUp.clear()
    if ready[Watched.input] != 0 { takePackets(isHungUp: ready[Watched.input] & (POLLHUP | POLLERR) != 0) }
    if ready[Watched.output] & (POLLHUP | POLLERR) != 0 { finish(.gone, "the connection ended") }
    if ready[Watched.bus] != 0 || isRung { takeMessages() }
  }

  private func takePackets(isHungUp: Bool) {
    // Ask for one byte more than allowed, because the rest of a longer packet would be lost without an error.
    for _ in 0..<Self.batch where input.room > Self.longestValue {
      let count = input.fill(from: inputSocket, limit: Self.longestValue + 1)
      if count < 0 {
        if errno != EAGAIN { finish(.gone, "the connection ended (\(systemReason(errno)))") }
        return
      }
      // A notification may be empty, and so is the end of the socket.
      if count == 0 && isHungUp { return finish(.gone, "the connection ended") }
      if count == 0 { return }
      if count > Self.longestValue { return finish(.system, Self.tooLong("more than \(Self.longestValue)")) }
    }
  }

  private func takeMessages() {
    do throws(BusError) {
      for _ in 0..<Self.batch where input.room >= Self.longestValue {
        guard let message = try bluez.bus.next() else { return watchBus() }
        receive(message)
      }
    } catch { return finish(.gone, error.sentence) }
    // libsystemd may have buffered messages that its descriptor no longer signals.
    wakeUp.signal()
  }

  /// Watches the bus for the events that it waits for.
  private func watchBus() {
    let events = bluez.bus.events
    guard events >= 0, events != busEvents else { return }
    busEvents = events
    watch.set(bluez.bus.descriptor, events, number: Watched.bus)
  }

  func receive(_ message: BusMessage) {
    if let cookie, message.cookie == cookie { return wrote(message) }
    guard message.kind == .signal else { return }
    if bluez.hasEnded(message) { return finish(.gone, "bluetoothd ended") }
    guard bluez.sent(message) else { return }
    if message.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved") { return removed(message) }
    let path = message.path
    if path == device { return deviceChanged(message) }
    if hearsMessages, let serial, path == serial.input.path { notified(message) }
  }

  private func wrote(_ message: BusMessage) {
    cookie = nil
    guard message.kind == .failure else { return }
    end = end ?? message.failure.portError(name)
  }

  private func removed(_ message: BusMessage) {
    guard let path = message.text("o"), !device.isEmpty else { return }
    if path == device || path == serial?.input.path || path == serial?.output.path {
      finish(.gone, "BlueZ no longer knows it; the device was removed, or its services changed")
    }
  }

  private func deviceChanged(_ message: BusMessage) {
    message.eachProperty(of: "org.bluez.Device1") { key in
      switch key {
      case "Connected":
        guard let value = message.variant("b", { message.bool() }) else { return true }
        if isConnected && !value && !awaitsEnd {
          finish(.gone, "disconnected: switched off, out of range, or disconnected by a program")
        }
        isConnected = value
      case "ServicesResolved":
        guard let value = message.variant("b", { message.bool() }) else { return true }
        if hasServices && !value && !awaitsEnd { finish(.gone, "disconnected: its services are gone") }
        hasServices = value
      default: return message.skip("v")
      }
      return true
    }
  }

  private func notified(_ message: BusMessage) {
    message.eachProperty(of: "org.bluez.GattCharacteristic1") { key in
      guard key == "Value" else { return message.skip("v") }
      _ = message.variant("ay") { message.bytes { receive($0) } }
      return true
    }
  }

  private static func tooLong(_ count: String) -> String {
    "a notification of \(count) bytes; at most \(longestValue) are valid"
  }

  /// Stores one value; `nil` if it is too long.
  private func receive(_ bytes: Span<UInt8>) -> Void? {
    guard bytes.count <= Self.longestValue, input.put(bytes) else {
      finish(.system, Self.tooLong("\(bytes.count)"))
      return nil
    }
    return ()
  }
}
