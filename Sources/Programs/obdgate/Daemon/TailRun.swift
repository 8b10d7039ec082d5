import ArgumentParser
import CGateway
import Glibc
import Ports

/// Follows a daemon's records until somebody wants no more.
///
/// Records wait here while the reader of standard output is slow, but not many: behind that they wait in the daemon, which
/// drops what is too much. So no reader of theirs ever holds a daemon up.
struct TailRun: ~Copyable {
  private let named: String?
  private let isOnce: Bool
  private let bell: WakeUp
  private var connection: DaemonConnection?
  /// Its descriptor; -1: there is no connection.
  private var descriptor: Int32 = -1
  private var stream: RecordStream
  /// What standard output has not taken yet.
  private var output: [UInt8] = []
  private var retryAt = Int64.min
  private var wasConnected = false
  /// The daemon is away, which was said.
  private var isWaiting = false

  private static let pause: Int64 = 1_000_000_000
  private static let outputLimit = 1 << 18
  /// A pipe that poll(2) calls writable takes so many bytes at once without blocking (pipe(7), PIPE_BUF).
  private static let piece = 4_096

  /// - Parameters:
  ///   - socket: as it was named; nil: where one is found.
  ///   - isOnce: a daemon that goes is not waited for.
  init(socket: String?, _ filter: RecordFilter, isOnce: Bool) throws(Failure) {
    named = socket
    self.isOnce = isOnce
    stream = RecordStream(filter)
    do throws(PortError) {
      bell = try WakeUp()
    } catch {
      throw Failure(.unavailable, error.description)
    }
  }

  /// - Throws: where there is no daemon, or standard output takes no more.
  mutating func run() throws {
    cgateway_catch_signals(bell.descriptor)
    while true {
      if descriptor < 0, BootClock.now >= retryAt {
        do throws(DaemonTrouble) {
          try connect()
        } catch {
          if error.kind == .interrupted { return }
          try lost(error)
        }
      }
      var waiting: InlineArray<3, pollfd> = [
        pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: STDOUT_FILENO, events: output.isEmpty ? 0 : Int16(POLLOUT), revents: 0),
        pollfd(fd: wantsMore ? descriptor : -1, events: Int16(POLLIN), revents: 0),
      ]
      Waiting.poll(&waiting, until: descriptor < 0 ? retryAt : .max)
      if waiting[0].revents != 0 { return }
      if waiting[1].revents != 0 { try write() }
      if waiting[2].revents != 0 {
        do throws(DaemonTrouble) {
          try receive()
        } catch {
          try lost(error)
        }
      }
    }
  }

  private var wantsMore: Bool { output.count < Self.outputLimit }

  private mutating func connect() throws(DaemonTrouble) {
    let socket = try DaemonSocket.found(named: named)
    let opened = try socket.open("/records", unless: bell)
    descriptor = opened.descriptor
    connection = consume opened
    if isWaiting { say("\(socket.path): follows again; what was made meanwhile is not repeated") }
    wasConnected = true
    isWaiting = false
    // What came with the head of the answer no poll(2) shows.
    try receive()
  }

  private mutating func receive() throws(DaemonTrouble) {
    guard let bytes = try connection?.take() else { return }
    if bytes.isEmpty { throw DaemonTrouble(.gone, "obdgated has ended, or wants no followers") }
    let strangers = stream.strangers
    stream.take(bytes, into: &output)
    if stream.strangers > 0, strangers == 0 { say("a line that is no record was left out") }
  }

  /// - Throws: where it is not waited for.
  private mutating func lost(_ trouble: DaemonTrouble) throws {
    connection = nil
    descriptor = -1
    stream.restart()
    // What was received is the reader's, whatever comes.
    if !wasConnected || isOnce {
      while !output.isEmpty { try write() }
      throw trouble.failure
    }
    if !isWaiting { say("\(trouble); waiting for it") }
    isWaiting = true
    retryAt = BootClock.now + Self.pause
  }

  /// Writes what standard output takes at once.
  ///
  /// - Throws: the end, where nobody reads any more.
  private mutating func write() throws {
    let piece = output.prefix(Self.piece)
    let count = unsafe piece.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    // The reader has left: nothing was to be written, or it could not be.
    if piece.isEmpty || (count < 0 && errno == EPIPE) { throw ExitCode.success }
    if count < 0 {
      if errno == EINTR || errno == EAGAIN { return }
      throw Failure(.unreadable, "standard output: cannot be written: \(systemReason(errno))")
    }
    output.removeFirst(count)
  }

  private func say(_ line: String) { StandardError.say("obdgate tail: \(line)") }
}
