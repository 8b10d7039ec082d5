import Foundation
import Simulator
import Synchronization

/// A simulator on a separate thread. `stop` ends it and waits for it.
final class RunningSimulator: Sendable {
  private let signal: StopSignal
  private let state = Mutex(State())
  private let changed = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  private struct State {
    var names: [String] = []
    var error: SimulatorError?
  }

  init(_ options: SimulatorOptions) throws {
    signal = try StopSignal()
    let thread = Thread { [self] in
      do throws(SimulatorError) {
        try runSimulator(options, stop: signal) { name in
          state.withLock { $0.names.append(name) }
          changed.signal()
        }
      } catch {
        state.withLock { $0.error = error }
        changed.signal()
      }
      ended.signal()
    }
    thread.start()
  }

  /// Returns the name of the port that was announced as number `number`; waits until it is.
  func name(_ number: Int = 0) throws -> String {
    while true {
      let (name, error) = state.withLock { ($0.names.dropFirst(number).first, $0.error) }
      if let error { throw error }
      if let name { return name }
      guard changed.wait(timeout: .now() + 60) == .success else { throw Host.Failure("no port was announced") }
    }
  }

  /// Ends the simulator, and throws its error.
  func stop() throws {
    signal.stop()
    guard ended.wait(timeout: .now() + 60) == .success else { throw Host.Failure("the simulator does not end") }
    if let error = state.withLock({ $0.error }) { throw error }
  }
}

/// The host's end of a port: a terminal or a socket.
final class Host {
  struct Failure: Error {
    var what: String
    init(_ what: String) { self.what = what }
  }

  /// The maximum time to wait for further bytes, ms.
  static let patience: Int32 = 60_000

  private var descriptor: Int32

  /// Opens a terminal in the same way as a gateway: raw, with eight bits.
  init(terminal path: String) throws {
    descriptor = unsafe open(path, O_RDWR | O_NOCTTY)
    guard descriptor >= 0 else { throw Failure("open \(path): \(errno)") }
    var settings = termios()
    unsafe tcgetattr(descriptor, &settings)
    unsafe cfmakeraw(&settings)
    unsafe cfsetspeed(&settings, speed_t(B38400))
    unsafe tcsetattr(descriptor, TCSANOW, &settings)
  }

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let result = unsafe Self.withLoopback(port) { unsafe connect(descriptor, $0, $1) }
    guard result == 0 else {
      let code = errno
      hangUp()
      throw Failure("connect \(port): \(code)")
    }
  }

  /// Whether an independent program can use the port.
  static func canBind(_ port: UInt16) -> Bool {
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(number) }
    return unsafe withLoopback(port) { unsafe bind(number, $0, $1) } == 0
  }

  private static func withLoopback(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  deinit { hangUp() }

  /// Sets the baud rate of the terminal, such as B38400.
  func set(speed: Int32) {
    var settings = termios()
    unsafe tcgetattr(descriptor, &settings)
    unsafe cfsetspeed(&settings, speed_t(speed))
    unsafe tcsetattr(descriptor, TCSANOW, &settings)
  }

  func hangUp() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// Writes a command and reads up to the prompt.
  func request(_ command: String) throws -> String {
    try send(command)
    return try hear(until: ">")
  }

  /// Writes a command and its CR.
  func send(_ command: String) throws {
    let bytes = Array((command + "\r").utf8)
    guard unsafe write(descriptor, bytes, bytes.count) == bytes.count else { throw Failure("write: \(errno)") }
  }

  /// Reads until the received text ends with `end`.
  func hear(until end: String) throws -> String {
    let heard = try hear { $0.suffix(end.utf8.count).elementsEqual(end.utf8) }
    return String(decoding: heard, as: UTF8.self)
  }

  /// Reads until this many bytes were received.
  func hear(count: Int) throws -> [UInt8] { try hear { $0.count >= count } }

  private func hear(_ isEnough: ([UInt8]) -> Bool) throws -> [UInt8] {
    var heard: [UInt8] = []
    while !isEnough(heard) {
      guard let more = try read(), !more.isEmpty else { throw Failure("ended after \(heard)") }
      heard += more
    }
    return heard
  }

  /// Reads bytes; empty if the other side has closed the connection, `nil` if none arrived within ``patience``.
  func read() throws -> [UInt8]? {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&waiting, 1, Self.patience) > 0 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
    return Array(buffer.prefix(max(0, count)))
  }
}
