import Failures
import Glibc

/// An open connection to a Bluetooth LE device: the device's serial characteristics, and the sockets or D-Bus messages
/// that transport the bytes. `BLELink+Opening.swift` establishes it.
///
/// A notification may contain a part of a text line or several text lines. The notifications are joined to one byte
/// stream, and written bytes are split into packets.
final class BLELink: BusListener {
  /// Maximum length of a characteristic's value, bytes (Core Specification, volume 3, part F, 3.2.9).
  static let longestValue = 512
  /// Number of bytes that fit in a packet before the devices agree on more: an ATT_MTU of 23 minus 3 bytes for the
  /// operation code and the handle.
  static let shortestPacket = 20
  /// Maximum number of messages or packets that one call of ``read(into:)`` processes. Without a limit, a device that
  /// sends continuously would delay deadlines.
  private static let batch = 64

  /// The way in which bytes are written to the device.
  enum Output {
    case none
    /// Bytes are written to a socket that BlueZ provides. Each packet becomes one write without response.
    case socket
    /// Bytes are written by WriteValue calls of the type `command` (write without response) or `request` (write with
    /// response). Each call is sent only after the previous one was answered.
    case message(type: String)
  }

  /// The numbers by which the watched descriptors are distinguished.
  private enum Watched {
    static let bus = 0
    static let input = 1
    static let output = 2
    static let wakeUp = 3
  }

  let name: String
  let bluez: BlueZ
  /// Path of the device's D-Bus object; empty until it is known.
  var device = ""
  var serial: SerialOverGATT?
  var isConnected = false
  var hasServices = false
  /// Whether this process established the connection. If so, it must end the connection.
  var didConnect = false
  /// Whether BlueZ should forget the device when this connection is closed. This is so if the device is neither paired
  /// nor trusted, and BlueZ's list of its services contains no serial characteristics. The list may be out of date.
  var isToBeForgotten = false
  /// Whether BlueZ is still ending a former connection. The end of that connection must not be taken for the end of the
  /// new one.
  var awaitsEnd = false
  /// Whether notifications arrive as D-Bus messages, not through a socket.
  var hearsMessages = false
  var output = Output.none
  /// Number of bytes that fit in one write to the device.
  var packet = BLELink.shortestPacket
  /// The reason why the connection ended; `nil` while it is open. ``read(into:)`` throws it only after all received
  /// bytes were read.
  private(set) var end: PortError?

  private let watch: Watch
  private let wakeUp: WakeUp
  private var inputSocket = Descriptor()
  private var outputSocket = Descriptor()
  private var input = ByteQueue(capacity: 8 * BLELink.longestValue)
  /// Cookie of the WriteValue call that BlueZ has not answered yet; `nil` if there is none.
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

  /// A descriptor for poll(2). It is readable when there may be received bytes, room for writing, or D-Bus messages.
  var descriptor: Int32 { watch.descriptor }

  func attachInput(_ socket: consuming Descriptor) {
    inputSocket = socket
    watch.set(inputSocket.number, POLLIN, number: Watched.input)
  }

  func attachOutput(_ socket: consuming Descriptor) {
    outputSocket = socket
    output = .socket
    watch.set(outputSocket.number, 0, number: Watched.output)
  }

  /// Completes the opening. If bytes have already arrived, makes ``descriptor`` readable.
  func begin() { if input.count > 0 { wakeUp.signal() } }

  /// The recent actions of this process on the connection to this device; `nil` before the device is known.
  var connection: OwnConnection? { device.isEmpty ? nil : OwnConnection(bluez.bus, device: device) }

  /// Ends the connection if this process established it. If BlueZ's list of the device's services contains no serial
  /// characteristics, also asks BlueZ to forget the device, so that BlueZ reads the services again next time. This is
  /// necessary because an adapter may accept connections before it offers all its services.
  func close() {
    inputSocket.close()
    outputSocket.close()
    guard didConnect, let connection else { return }
    didConnect = false
    connection.wasEnded()
    // It does not matter if this message is lost: if BlueZ is gone, the connection has already ended.
    try? bluez.bus.post(bluez.methodCall(device, "org.bluez.Device1", "Disconnect"))
    guard isToBeForgotten, let end = device.lastIndex(of: "/") else { return }
    let forget = bluez.methodCall(String(device[..<end]), "org.bluez.Adapter1", "RemoveDevice")
    try? bluez.bus.post(forget.text(device, as: "o"))
  }

  func finish(_ kind: PortError.Kind, _ detail: String) { end = end ?? PortError(kind, name, detail) }

  // MARK: Bytes

  func read(into buffer: inout MutableSpan<UInt8>) throws(PortError) -> Int {
    receiveInput()
    let count = input.move(into: &buffer)
    // Make the descriptor readable. The remaining bytes, and then the end of the connection, are then read without
    // another event.
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

  /// Receives the data that have arrived, as far as the queue has room for them.
  private func receiveInput() {
    let ready = watch.ready()
    let isRung = ready[Watched.wakeUp] != 0 && wakeUp.clear()
    if ready[Watched.input] != 0 { receivePackets(isHungUp: ready[Watched.input] & (POLLHUP | POLLERR) != 0) }
    if ready[Watched.output] & (POLLHUP | POLLERR) != 0 { finish(.gone, "the connection ended") }
    if ready[Watched.bus] != 0 || isRung { receiveMessages() }
  }

  private func receivePackets(isHungUp: Bool) {
    // Ask for one byte more than is allowed, to detect packets that are too long. The kernel would discard the rest of
    // such a packet without an error.
    for _ in 0..<Self.batch where input.room > Self.longestValue {
      let count = input.fill(from: inputSocket, limit: Self.longestValue + 1)
      if count < 0 {
        if errno != EAGAIN { finish(.gone, "the connection ended (\(systemReason(errno)))") }
        return
      }
      // Reading 0 bytes means an empty notification, or the end of the socket.
      if count == 0 && isHungUp { return finish(.gone, "the connection ended") }
      if count == 0 { return }
      if count > Self.longestValue { return finish(.system, Self.tooLong("more than \(Self.longestValue)")) }
    }
  }

  private func receiveMessages() {
    do throws(BusError) {
      for _ in 0..<Self.batch where input.room >= Self.longestValue {
        guard let message = try bluez.bus.next() else { return watchBus() }
        receive(message)
      }
    } catch { return finish(.gone, error.sentence) }
    // libsystemd may already have read messages into its buffer, and its descriptor does not signal these.
    wakeUp.signal()
  }

  /// Watches the bus's descriptor for the events that sd-bus now needs.
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

  /// Stores the value of a received notification. If the value is too long, ends the connection and returns `nil`.
  private func receive(_ bytes: Span<UInt8>) -> Void? {
    guard bytes.count <= Self.longestValue, input.put(bytes) else {
      finish(.system, Self.tooLong("\(bytes.count)"))
      return nil
    }
    return ()
  }
}
