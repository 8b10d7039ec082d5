import CPorts
import Glibc

/// A serial port: a ttyUSB, ttyACM or ttyS device, a bound /dev/rfcommN or a pseudo-terminal.
///
///     var port = SerialPort(path: "/dev/ttyUSB0", baud: 115_200)
///     try port.open()
///
/// The open port is locked for this process in two ways. flock(2) excludes all processes that also call it, including
/// those of root. `TIOCEXCL` excludes all processes except those of root. A pseudo-terminal is locked only by flock(2):
/// if a process is killed, its `TIOCEXCL` flag remains while the other end is open. After opening, DTR and RTS are not
/// changed, because a change resets some adapters.
public struct SerialPort: Port, ~Copyable {
  public let name: String
  public private(set) var baud: Int?
  /// Whether the driver delivers received bytes immediately. If not, FTDI's driver waits up to 16 ms for more bytes.
  public private(set) var isLowLatency = false
  var line = Descriptor()

  /// Creates a closed port.
  ///
  /// - Parameters:
  ///   - path: path of the device file, such as `/dev/ttyUSB0`, or of a link below `/dev/serial/by-id`.
  ///   - baud: the baud rate, bits per second. It can be any rate that the device supports.
  public init(path: String, baud: Int = 38_400) {
    name = path
    self.baud = baud
  }

  public var descriptor: Int32 { line.number }

  /// Opens and locks the device, and configures it: raw bytes, 8 bits, no parity, one stop bit, no flow control.
  ///
  /// `limit` and `wakeUp` have no effect, because a serial port opens immediately or not at all.
  public mutating func open(within limit: Duration, unless wakeUp: WakeUp?) throws(PortError) {
    close()
    // Without O_NONBLOCK, open(2) would block until there is a carrier signal.
    let number = unsafe Glibc.open(name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard number >= 0 else { throw SerialPort.notOpened(name, code: errno) }
    let opened = Descriptor(owning: number)
    guard isatty(number) == 1 else {
      throw PortError(.notSerial, name, code: ENOTTY, "not a serial port; name a device such as /dev/ttyUSB0")
    }
    let isLocked = flock(number, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    let isPseudoTerminal = cports_tty_is_pseudo_terminal(number) != 0
    if isLocked || cports_tty_is_exclusive(number) != 0 {
      let holder = DeviceHolder.of(name, exceptBy: number)
      // If no other process has the terminal open, a process that was killed has left the `TIOCEXCL` flag.
      guard !isLocked, isPseudoTerminal, holder == nil else { throw SerialPort.busy(name, holder) }
      _ = cports_tty_set_exclusive(number, 0)
    }
    // Setting `TIOCEXCL` fails with ENOTTY if the driver does not support it. The lock by flock(2) still applies.
    if !isPseudoTerminal { _ = cports_tty_set_exclusive(number, 1) }
    baud = try SerialPort.configure(number, name, baud: baud ?? 38_400)
    isLowLatency = cports_tty_low_latency(number) == 0
    // Discard bytes that were received before. They may be an answer to another program.
    _ = cports_tty_discard_input(number)
    line = consume opened
  }

  public mutating func close() {
    if isOpen { SerialPort.prepareToClose(line) }
    line.close()
  }

  /// Prepares a serial port for closing, so that closing does not block and leaves no lock.
  static func prepareToClose(_ line: borrowing Descriptor) {
    // Clear the flag. Otherwise, it would remain if another process has inherited the descriptor.
    _ = cports_tty_set_exclusive(line.number, 0)
    // If a dead device does not accept the bytes that wait to be sent, they would delay the last close(2), usually by
    // 30 s (closing_wait).
    _ = tcflush(line.number, TCOFLUSH)
  }

  public mutating func read(into buffer: inout MutableSpan<UInt8>) throws(PortError) -> Int {
    try line.read(into: &buffer, for: name)
  }

  public mutating func write(_ bytes: Span<UInt8>) throws(PortError) -> Int {
    try line.write(bytes, for: name, isSocket: false)
  }

  /// Changes the baud rate, and discards bytes that were received but not read.
  ///
  /// - Throws: ``PortError/Kind/invalid`` if the nearest rate that the driver can set differs by more than 3 %. The
  ///   port then keeps its former rate.
  public mutating func setBaud(_ baud: Int) throws(PortError) {
    self.baud = try SerialPort.change(line, name, from: self.baud, to: baud)
  }

  static func change(
    _ line: borrowing Descriptor, _ name: String, from before: Int?, to baud: Int
  ) throws(PortError) -> Int {
    do {
      let changed = try configure(line.number, name, baud: baud)
      _ = cports_tty_discard_input(line.number)
      return changed
    } catch {
      if let before { _ = cports_tty_configure(line.number, UInt32(before)) }
      throw error
    }
  }

  /// Configures the port, and returns the requested rate.
  private static func configure(_ number: Int32, _ name: String, baud: Int) throws(PortError) -> Int {
    guard let wanted = UInt32(exactly: baud), wanted > 0 else { throw notMade(name, baud) }
    let made = cports_tty_configure(number, wanted)
    if made == -EINVAL { throw notMade(name, baud) }
    guard made > 0 else { throw .transfer(name, code: -made) }
    // Receiving a byte of ten bits tolerates a difference of 5 % between the rates. The adapter's own clock may cause a
    // part of this difference.
    guard abs(Int(made) - baud) * 100 <= baud * 3 else { throw notMade(name, baud) }
    return baud
  }

  private static func notMade(_ name: String, _ baud: Int) -> PortError {
    PortError(
      .invalid, name, code: EINVAL, "\(baud) baud is not supported; usual rates are 38400, 115200, 9600, 500000")
  }
}
