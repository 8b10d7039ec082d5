import CPorts
import Glibc

/// A serial line: ttyUSB, ttyACM, ttyS, a bound /dev/rfcommN, a pseudo-terminal.
///
/// It is taken for this process alone, by flock(2), which stops everyone who asks, root too, and by `TIOCEXCL`, which
/// stops everyone but root; a pseudo-terminal by flock(2) alone, as its flag stays when whoever set it is killed, for as
/// long as the other end is open. DTR and RTS are left as opening the device sets them: some adapters reset on a change.
public struct SerialPort: Port, ~Copyable {
  public let name: String
  public private(set) var baud: Int?
  /// True where the driver has been told to hand bytes on at once; FTDI's otherwise waits 16 ms for more.
  public private(set) var isLowLatency = false
  var line = Descriptor()

  /// - Parameters:
  ///   - path: of the device, e.g. `/dev/ttyUSB0` or a link below `/dev/serial/by-id`.
  ///   - baud: bits a second, any that the device can make.
  public init(path: String, baud: Int = 38_400) {
    name = path
    self.baud = baud
  }

  public var descriptor: Int32 { line.number }

  /// Opens, claims and configures the device: raw bytes, 8 bits, no parity, one stop bit, no flow control.
  ///
  /// The limit and the wake-up are not needed: a serial line opens at once or not at all.
  public mutating func open(within limit: Duration, unless wakeUp: WakeUp?) throws(PortError) {
    close()
    // Without O_NONBLOCK a line with no carrier would keep us waiting.
    let number = unsafe Glibc.open(name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard number >= 0 else { throw SerialPort.notOpened(name, code: errno) }
    let opened = Descriptor(owning: number)
    guard isatty(number) == 1 else {
      throw PortError(.notSerial, name, code: ENOTTY, "not a serial line; name a device such as /dev/ttyUSB0")
    }
    let isLocked = flock(number, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    let isPseudoTerminal = cports_tty_is_pseudo_terminal(number) != 0
    if isLocked || cports_tty_is_exclusive(number) != 0 {
      let holder = DeviceHolder.of(name, exceptBy: number)
      // What nobody has open but us was left behind by a program that was killed.
      guard !isLocked, isPseudoTerminal, holder == nil else { throw SerialPort.busy(name, holder) }
      _ = cports_tty_set_exclusive(number, 0)
    }
    // ENOTTY: a driver that cannot; the lock holds all the same.
    if !isPseudoTerminal { _ = cports_tty_set_exclusive(number, 1) }
    baud = try SerialPort.configure(number, name, baud: baud ?? 38_400)
    isLowLatency = cports_tty_low_latency(number) == 0
    // What arrived before anyone asked is an answer to somebody else.
    _ = cports_tty_discard_input(number)
    line = consume opened
  }

  public mutating func close() {
    if isOpen {
      // Whoever inherited the descriptor must not keep the claim alive.
      _ = cports_tty_set_exclusive(line.number, 0)
      // What a dead device does not take would hold the last close(2) up, 30 s as a rule (closing_wait).
      _ = tcflush(line.number, TCOFLUSH)
    }
    line.close()
  }

  public mutating func read(into buffer: inout MutableSpan<UInt8>) throws(PortError) -> Int {
    try line.read(into: &buffer, for: name)
  }

  public mutating func write(_ bytes: Span<UInt8>) throws(PortError) -> Int {
    try line.write(bytes, for: name, isSocket: false)
  }

  /// - Throws: ``PortError/Kind/invalid`` for a rate that the driver cannot make within 3 %; the line then has the rate
  ///   it had.
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

  /// Sets the line up; returns the rate asked for.
  private static func configure(_ number: Int32, _ name: String, baud: Int) throws(PortError) -> Int {
    guard let wanted = UInt32(exactly: baud), wanted > 0 else { throw notMade(name, baud) }
    let made = cports_tty_configure(number, wanted)
    if made == -EINVAL { throw notMade(name, baud) }
    guard made > 0 else { throw .transfer(name, code: -made) }
    // An asynchronous byte of ten bits stands 5 % at most; the adapter's own clock takes its part of that.
    guard abs(Int(made) - baud) * 100 <= baud * 3 else { throw notMade(name, baud) }
    return baud
  }

  private static func notMade(_ name: String, _ baud: Int) -> PortError {
    PortError(.invalid, name, code: EINVAL, "cannot do \(baud) baud; usual are 38400, 115200, 9600, 500000")
  }
}
