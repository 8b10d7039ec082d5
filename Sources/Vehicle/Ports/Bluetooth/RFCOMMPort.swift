import CPorts
import Failures
import Glibc

/// A serial connection over classic Bluetooth (RFCOMM). It uses the kernel's sockets, and needs neither bluetoothd nor
/// /dev/rfcommN.
///
/// Call `open` with a limit of 15 seconds. Paging a device takes up to 5 s, and finding the channel and connecting take
/// some more time. If the device requires pairing, it must have been paired before, usually with the PIN 1234 or 0000.
public struct RFCOMMPort: Port, ~Copyable {
  public let name: String
  private let address: BluetoothAddress
  private let channel: UInt8?
  var socket = Descriptor()

  /// Creates a closed port.
  ///
  /// - Parameters:
  ///   - address: address of the device.
  ///   - channel: RFCOMM channel, 1…30; `nil` if service discovery must find it.
  public init(address: BluetoothAddress, channel: UInt8? = nil) {
    self.address = address
    self.channel = channel
    name = channel.map { "rfcomm:\(address)/\($0)" } ?? "rfcomm:\(address)"
  }

  public var descriptor: Int32 { socket.number }

  public mutating func open(within limit: Duration, unless wakeUp: WakeUp?) throws(PortError) {
    close()
    let deadline = BootClock.after(limit)
    let channel: UInt8
    if let given = self.channel {
      channel = given
    } else {
      channel = try serialChannel(until: deadline, unless: wakeUp)
    }
    guard (1...30).contains(channel) else {
      throw PortError(.invalid, name, "channel \(channel) is invalid; RFCOMM has 1 to 30")
    }
    let number = cports_rfcomm_socket()
    guard number >= 0 else { throw notConnected(-number) }
    let opened = Descriptor(owning: number)
    let code = cports_rfcomm_connect(number, address.socketAddress, channel)
    try finish(opened, code: code, until: deadline, unless: wakeUp)
    socket = consume opened
  }

  public mutating func close() { socket.close() }

  public mutating func read(into buffer: inout MutableSpan<UInt8>) throws(PortError) -> Int {
    try socket.read(into: &buffer, for: name)
  }

  public mutating func write(_ bytes: Span<UInt8>) throws(PortError) -> Int {
    try socket.write(bytes, for: name, isSocket: true)
  }

  /// Finds the RFCOMM channel of the device's serial port by service discovery.
  private func serialChannel(until deadline: Int64, unless wakeUp: WakeUp?) throws(PortError) -> UInt8 {
    let number = cports_l2cap_socket()
    guard number >= 0 else { throw notConnected(-number) }
    let directory = Descriptor(owning: number)
    let code = cports_l2cap_connect(number, address.socketAddress, 1)
    try finish(directory, code: code, until: deadline, unless: wakeUp)
    do {
      return try ServiceDiscovery.serialChannel(over: directory, until: deadline, unless: wakeUp)
    } catch {
      switch error {
      case .timedOut: throw notConnected(ETIMEDOUT)
      case .interrupted: throw PortError(.interrupted, name, "interrupted while connecting")
      case .closed(let code): throw notConnected(code)
      case .noSerialPort:
        throw PortError(
          .noSerialService, name, "offers no serial port; for an adapter with Bluetooth LE only write ble:ADDRESS")
      case .malformed(let offset):
        throw PortError(
          .system, name, "invalid answer to service discovery at byte \(offset); configure the channel, often 1")
      case .refused(let reason):
        throw PortError(.noSerialService, name, "service discovery failed (\(reason)); configure the channel, often 1")
      }
    }
  }

  private func finish(
    _ socket: borrowing Descriptor, code: Int32, until deadline: Int64, unless wakeUp: WakeUp?
  ) throws(PortError) {
    switch Connecting.finish(socket, code: code, until: deadline, unless: wakeUp) {
    case .connected: return
    case .timedOut: throw notConnected(ETIMEDOUT)
    case .interrupted: throw PortError(.interrupted, name, "interrupted while connecting")
    case .failed(let code): throw notConnected(code)
    }
  }

  private func notConnected(_ code: Int32) -> PortError {
    switch code {
    case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT:
      PortError(.noBluetooth, name, code: code, "this kernel has no Bluetooth; load the modules bluetooth and rfcomm")
    case ENETDOWN, ENODEV, ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL:
      PortError(.noBluetooth, name, code: code, "no Bluetooth controller is on; bluetoothctl power on")
    case EHOSTDOWN, ETIMEDOUT:
      PortError(
        .timedOut, name, code: code, "no answer; is the adapter powered, in range, and not connected to a phone?")
    case ECONNREFUSED:
      PortError(.refused, name, code: code, "rejected; pair it first, or configure another channel")
    case EACCES, EBADE:
      PortError(.notPaired, name, code: code, "rejected because it is not paired; run bluetoothctl pair \(address)")
    case EPERM: PortError(.notPermitted, name, code: code, systemReason(code))
    case EBUSY, EADDRINUSE:
      PortError(.busy, name, code: code, "busy: another program or phone is connected to it")
    default: PortError(.system, name, code: code, systemReason(code))
    }
  }
}

extension BluetoothAddress {
  /// The address in the format that connect(2) requires.
  fileprivate var socketAddress: cports_bluetooth_address {
    cports_bluetooth_address(bytes: (self[0], self[1], self[2], self[3], self[4], self[5]))
  }
}
