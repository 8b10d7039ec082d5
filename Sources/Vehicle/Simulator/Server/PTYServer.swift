import Glibc

/// A pseudo-terminal as the simulator's port, and an optional symbolic link to it with a fixed name.
struct PTYServer: HostLink, ~Copyable {
  private let link: String?
  private var master = Descriptor()
  private(set) var name = ""
  private(set) var isConnected = false

  /// Creates a server; `open` creates the terminal.
  ///
  /// - Parameter link: path of the symbolic link; `nil` for none. An existing symbolic link is replaced. Any other
  ///   existing file is an error.
  init(link: String?) { self.link = link }

  deinit { PTYServer.remove(link, to: name) }

  mutating func open() throws(SimulatorError) {
    var controller: Int32 = -1
    var terminal: Int32 = -1
    var path = [CChar](repeating: 0, count: 128)
    var settings = termios()
    unsafe cfmakeraw(&settings)
    unsafe cfsetspeed(&settings, speed_t(B38400))
    settings.c_cflag |= tcflag_t(CREAD | CLOCAL)
    guard unsafe openpty(&controller, &terminal, &path, &settings, nil) == 0 else {
      throw .system(.unavailable, "cannot create a pseudo-terminal")
    }
    let descriptor = Descriptor(controller)
    // Close this process's own descriptor of the terminal. Otherwise, it would look as if a host always had the
    // terminal open.
    Glibc.close(terminal)
    descriptor.makeNonblocking()
    master = consume descriptor
    name = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    isConnected = false
    try makeLink()
  }

  private func makeLink() throws(SimulatorError) {
    guard let link else { return }
    if PTYServer.target(of: link) != nil { unsafe unlink(link) }
    guard unsafe symlink(name, link) == 0 else {
      throw .system(.unavailable, "cannot create the link \(link) to \(name)")
    }
  }

  mutating func close() {
    PTYServer.remove(link, to: name)
    master = Descriptor()
    isConnected = false
  }

  /// Removes the symbolic link if it still points to this terminal.
  private static func remove(_ link: String?, to name: String) {
    guard let link, !name.isEmpty, target(of: link) == name else { return }
    unsafe unlink(link)
  }

  private static func target(of link: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink(link, &buffer, buffer.count)
    return count < 0 ? nil : String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// While no host has the terminal open, there is no descriptor to wait for, because poll(2) would return immediately
  /// with POLLHUP.
  var descriptors: [Int32] { isConnected ? [master.raw] : [] }

  mutating func accept() {
    guard master.isOpen else { return }
    var waiting = pollfd(fd: master.raw, events: Int16(POLLIN), revents: 0)
    unsafe poll(&waiting, 1, 0)
    isConnected = waiting.revents & Int16(POLLHUP) == 0 || waiting.revents & Int16(POLLIN) != 0
  }

  mutating func read(into buffer: inout [UInt8]) -> Descriptor.Input {
    let input = master.read(into: &buffer)
    if case .closed = input { isConnected = false }
    return input
  }

  mutating func write(_ bytes: ArraySlice<UInt8>) -> Int? { master.write(bytes) }

  var hostBaud: Int? {
    guard master.isOpen else { return nil }
    var settings = termios()
    guard unsafe tcgetattr(master.raw, &settings) == 0 else { return nil }
    let speed = unsafe cfgetospeed(&settings)
    return PTYServer.speeds.first { $0.0 == speed }?.1
  }

  private static let speeds: [(speed_t, Int)] = [
    (speed_t(B1200), 1200), (speed_t(B2400), 2400), (speed_t(B4800), 4800), (speed_t(B9600), 9600),
    (speed_t(B19200), 19_200), (speed_t(B38400), 38_400), (speed_t(B57600), 57_600), (speed_t(B115200), 115_200),
    (speed_t(B230400), 230_400), (speed_t(B460800), 460_800), (speed_t(B500000), 500_000),
    (speed_t(B921600), 921_600), (speed_t(B1000000), 1_000_000), (speed_t(B2000000), 2_000_000),
    (speed_t(B4000000), 4_000_000),
  ]
}
