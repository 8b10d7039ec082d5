import Glibc

/// An open line to a Bluetooth LE device: its characteristics, the sockets or messages that its bytes go by, and what ends
/// it. `BLELink+Opening.swift` makes one.
///
/// A notification is no line: they are joined to one stream of bytes, and what is written is cut to what one packet holds.
final class BLELink: BusListener {
  /// The longest value of a characteristic (Core Specification, volume 3, part F, 3.2.9).
  static let longestValue = 512
  /// What a packet holds before the two sides have agreed on more: ATT_MTU 23, less operation and handle.
  static let shortestPacket = 20
  /// Messages or packets that one read takes in: who sends without end does not keep us from deadlines.
  private static let batch = 64

  /// How writes leave.
  enum Output {
    case none
    /// A socket of BlueZ: one packet is one write without response.
    case socket
    /// WriteValue, `command` or `request` (without response, with); the next one when this one is answered.
    case message(type: String)
  }

  /// Numbers of the descriptors that are watched.
  private enum Watched {
    static let bus = 0
    static let input = 1
    static let output = 2
    static let bell = 3
  }

  let name: String
  let bluez: BlueZ
  /// The device's object on the bus; empty before it is known.
  var device = ""
  var serial: SerialOverGATT?
  var isConnected = false
  var hasServices = false
  /// We asked for the connection, and so end it.
  var didConnect = false
  /// What BlueZ knows of its services is no line, and may be old; and nobody of this machine has paired or trusted it.
  var isToBeForgotten = false
  /// The connection that is there is one that is to end: its end is not the line's.
  var awaitsEnd = false
  /// Where notifications come as messages.
  var hearsMessages = false
  var output = Output.none
  /// Bytes that one write holds.
  var packet = BLELink.shortestPacket
  /// Why the line is no more; what came before is read first.
  private(set) var end: PortError?

  private let watch: Watch
  private let bell: WakeUp
  private var inputSocket = Descriptor()
  private var outputSocket = Descriptor()
  private var input = ByteQueue(capacity: 8 * BLELink.longestValue)
  /// The write that is not answered yet.
  private var cookie: UInt64?
  private var awaitsRoom = false
  private var busEvents: Int32 = 0

  init(_ name: String, _ bluez: BlueZ) throws(PortError) {
    self.name = name
    self.bluez = bluez
    watch = try Watch(for: name)
    bell = try WakeUp()
    watch.set(bell.descriptor, POLLIN, number: Watched.bell)
    watchBus()
  }

  /// Readable when there is something to read, to be written, or to be known.
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

  /// The line is open: what came while it was opened is to be read without anything more happening.
  func begin() { if input.count > 0 { bell.signal() } }

  /// What this process has done to the connection; nil before the device is known.
  var connection: OwnConnection? { device.isEmpty ? nil : OwnConnection(bluez.bus, device: device) }

  /// Ends the connection where we made it. Where the services that BlueZ knows were no line, BlueZ is to ask for them anew
  /// the next time, and not to remember: an adapter may be connected to before it has all of them.
  func close() {
    inputSocket.close()
    outputSocket.close()
    guard didConnect, let connection else { return }
    didConnect = false
    connection.wasEnded()
    // It does not matter whether that is heard: where nobody is left to hear it, the connection is over, too.
    try? bluez.bus.post(bluez.asking(device, "org.bluez.Device1", "Disconnect"))
    guard isToBeForgotten, let end = device.lastIndex(of: "/") else { return }
    let forget = bluez.asking(String(device[..<end]), "org.bluez.Adapter1", "RemoveDevice")
    try? bluez.bus.post(forget.text(device, as: "o"))
  }

  func finish(_ kind: PortError.Kind, _ detail: String) { end = end ?? PortError(kind, name, detail) }

  // MARK: Bytes

  func read(into buffer: inout MutableSpan<UInt8>) throws(PortError) -> Int {
    takeIn()
    let count = input.take(into: &buffer)
    // What is left, and that the line is over, is to be read without anything more happening.
    if input.count > 0 || (count > 0 && end != nil) { bell.signal() }
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
    let call = bluez.asking(serial.output.path, "org.bluez.GattCharacteristic1", "WriteValue").bytes(piece).options([
      "type": type
    ])
    do throws(BusError) { cookie = try bluez.bus.send(call) } catch { throw error.portError(name) }
    watchBus()
    return piece.count
  }

  // MARK: What comes

  /// Takes in what has arrived, as much as there is room for.
  private func takeIn() {
    let ready = watch.ready()
    let isRung = ready[Watched.bell] != 0 && bell.silence()
    if ready[Watched.input] != 0 { takePackets(isHungUp: ready[Watched.input] & (POLLHUP | POLLERR) != 0) }
    if ready[Watched.output] & (POLLHUP | POLLERR) != 0 { finish(.gone, "the connection ended") }
    if ready[Watched.bus] != 0 || isRung { takeMessages() }
  }

  private func takePackets(isHungUp: Bool) {
    // A byte more than there can be: of a longer packet the rest would be lost without a word.
    for _ in 0..<Self.batch where input.room > Self.longestValue {
      let count = input.fill(from: inputSocket, limit: Self.longestValue + 1)
      if count < 0 {
        if errno != EAGAIN { finish(.gone, "the connection ended (\(systemReason(errno)))") }
        return
      }
      // A notification may be empty; the end of the socket is, too.
      if count == 0 && isHungUp { return finish(.gone, "the connection ended") }
      if count == 0 { return }
      if count > Self.longestValue { return finish(.system, Self.tooLong("more than \(Self.longestValue)")) }
    }
  }

  private func takeMessages() {
    do throws(BusError) {
      for _ in 0..<Self.batch where input.room >= Self.longestValue {
        guard let message = try bluez.bus.next() else { return watchBus() }
        heard(message)
      }
    } catch { return finish(.gone, error.sentence) }
    // The library may hold messages that its descriptor no longer tells of.
    bell.signal()
  }

  /// Has the bus watched for what it waits for.
  private func watchBus() {
    let events = bluez.bus.events
    guard events >= 0, events != busEvents else { return }
    busEvents = events
    watch.set(bluez.bus.descriptor, events, number: Watched.bus)
  }

  func heard(_ message: BusMessage) {
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
      finish(.gone, "BlueZ forgot it; the device was removed, or has other services now")
    }
  }

  private func deviceChanged(_ message: BusMessage) {
    message.eachProperty(of: "org.bluez.Device1") { key in
      switch key {
      case "Connected":
        guard let value = message.variant("b", { message.bool() }) else { return true }
        if isConnected && !value && !awaitsEnd { finish(.gone, "disconnected: switched off, out of reach, or told to") }
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
      _ = message.variant("ay") { message.bytes { take($0) } }
      return true
    }
  }

  private static func tooLong(_ count: String) -> String {
    "a notification of \(count) bytes; \(longestValue) are the most that can be"
  }

  /// Takes one value in; nil where it cannot be one.
  private func take(_ bytes: Span<UInt8>) -> Void? {
    guard bytes.count <= Self.longestValue, input.put(bytes) else {
      finish(.system, Self.tooLong("\(bytes.count)"))
      return nil
    }
    return ()
  }
}
