import Glibc
import Ports

/// Exchanges with an adapter in one thread: each command is answered as soon as it was sent.
///
/// Every exchange sets a deadline, reads the clock and passes a value through a ring, like a gateway's port thread.
struct PortRounds: PortHandler, ~Copyable {
  let master: Int32
  let wanted: Int
  private var count = 0
  private var ring = Ring<Int64>(capacity: 64)

  init(master: Int32, wanted: Int) {
    self.master = master
    self.wanted = wanted
  }

  static func run(_ wanted: Int) throws(PortError) {
    let terminal = try PseudoTerminal()
    var port = AddressedPort(.serial(path: terminal.path, baud: nil))
    try port.open()
    var rounds = PortRounds(master: terminal.descriptor, wanted: wanted)
    var loop = try PortLoop(wakeUp: WakeUp())
    try loop.run(&port, &rounds)
    printLine("\(rounds.count) replies")
  }

  mutating func opened(at now: Int64, _ actions: inout PortActions) { sendRequest(at: now, &actions) }

  mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions) {
    guard bytes[bytes.count - 1] == UInt8(ascii: ">") else { return }
    count += 1
    ring.producer.put(now)
    if ring.consumer.pop() != now { exit(1) }
    if count == wanted { actions.stop() } else { sendRequest(at: now, &actions) }
  }

  mutating func sent(_ bytes: Span<UInt8>, at now: Int64) {
    var command: InlineArray<64, UInt8> = .init(repeating: 0)
    var span = command.mutableSpan
    let reply: StaticString = "41 0C 1A F8 \r\r>"
    unsafe span.withUnsafeMutableBufferPointer { unsafe _ = read(master, $0.baseAddress, $0.count) }
    _ = unsafe write(master, reply.utf8Start, reply.utf8CodeUnitCount)
  }

  private func sendRequest(at now: Int64, _ actions: inout PortActions) {
    actions.send("010C1\r")
    actions.deadline = now + 1_000_000_000
  }
}
