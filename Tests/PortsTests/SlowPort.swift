import Glibc
import Ports

/// A port that accepts three bytes at a time and records its calls.
struct SlowPort: Port, ~Copyable {
  let name = "slow"
  let highestBaud: Int
  private(set) var log: [String] = []
  private var ends: [Int32] = [-1, -1]
  private var isTurn = true

  init(highestBaud: Int = .max) { self.highestBaud = highestBaud }

  var descriptor: Int32 { ends[0] }

  mutating func open(within limit: Duration, unless wakeUp: WakeUp?) throws(PortError) {
    // A pair of sockets, which poll(2) reports as ready for writing.
    guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
      throw PortError(.system, name, code: errno, "no sockets")
    }
  }

  mutating func close() {
    for end in ends where end >= 0 { _ = Glibc.close(end) }
    ends = [-1, -1]
  }

  mutating func read(into buffer: inout MutableSpan<UInt8>) throws(PortError) -> Int { 0 }

  mutating func write(_ bytes: Span<UInt8>) throws(PortError) -> Int {
    isTurn.toggle()
    if isTurn { return 0 }
    let count = min(3, bytes.count)
    log.append(String(decoding: (0..<count).map { bytes[$0] }, as: UTF8.self))
    return count
  }

  mutating func setBaud(_ baud: Int) throws(PortError) {
    guard baud <= highestBaud else { throw PortError(.invalid, name, code: EINVAL, "cannot do \(baud) baud") }
    log.append("\(baud)")
  }
}
