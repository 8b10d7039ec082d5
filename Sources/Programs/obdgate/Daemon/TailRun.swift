import ArgumentParser
import CGateway
import CommandLineSupport
import Failures
import Glibc
import Ports

/// Prints the records of a running daemon until the command is stopped.
///
/// If the reader of stdout is slow, a few records wait in this process. The other records wait in the daemon, which
/// discards records for which its buffer has no room. Therefore, a slow reader never delays the daemon.
struct TailRun: ~Copyable {
  private let named: String?
  private let isOnce: Bool
  private let wakeUp: WakeUp
  private var connection: DaemonConnection?
  /// The file descriptor of the connection; -1 if there is none.
  private var descriptor: Int32 = -1
  private var stream: RecordStream
  /// Bytes that wait to be written to stdout.
  private var output: [UInt8] = []
  private var retryAt = Int64.min
  private var wasConnected = false
  /// Whether the command has reported that the daemon has ended, and waits for a new daemon.
  private var isWaiting = false

  private static let pause: Int64 = 1_000_000_000
  private static let outputLimit = 1 << 18
  /// Maximum number of bytes in one write. A pipe that poll(2) reports as writable accepts this many without blocking
  /// (PIPE_BUF, pipe(7)).
  private static let piece = 4_096

  /// Prepares the command.
  ///
  /// - Parameters:
  ///   - socket: the socket that the user has named; `nil` to search for a socket.
  ///   - isOnce: whether the command ends when the connection to the daemon is lost.
  init(socket: String?, _ filter: RecordFilter, isOnce: Bool) throws(Failure) {
    named = socket
    self.isOnce = isOnce
    stream = RecordStream(filter)
    do throws(PortError) {
      wakeUp = try WakeUp()
    } catch {
      throw Failure(.unavailable, error.description)
    }
  }

  /// Prints records until the command is stopped.
  ///
  /// - Throws: an error if there is no daemon, or if stdout cannot be written.
  mutating func run() throws {
    cgateway_catch_signals(wakeUp.descriptor)
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
        pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
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
    let opened = try socket.open("/records", unless: wakeUp)
    descriptor = opened.descriptor
    connection = consume opened
    if isWaiting { report("\(socket.path): connected again; records in between are not repeated") }
    wasConnected = true
    isWaiting = false
    // Bytes that were received together with the head of the response are already in memory, so poll(2) does not report
    // them.
    try receive()
  }

  private mutating func receive() throws(DaemonTrouble) {
    guard let bytes = try connection?.popBytes() else { return }
    if bytes.isEmpty { throw DaemonTrouble(.gone, "obdgated has ended, or accepts no readers") }
    let strangers = stream.strangers
    stream.append(bytes, into: &output)
    if stream.strangers > 0, strangers == 0 { report("a line that is not a record was dropped") }
  }

  /// Handles the loss of the connection.
  ///
  /// - Throws: the error if there was no connection before, or if the command must not wait for a new daemon.
  private mutating func lost(_ trouble: DaemonTrouble) throws {
    connection = nil
    descriptor = -1
    stream.restart()
    // The received records are printed before the error is reported.
    if !wasConnected || isOnce {
      while !output.isEmpty { try write() }
      throw trouble.failure
    }
    if !isWaiting { report("\(trouble); waiting for it") }
    isWaiting = true
    retryAt = BootClock.now + Self.pause
  }

  /// Writes as many of the waiting bytes as stdout accepts without blocking.
  ///
  /// - Throws: `ExitCode.success` if the reader of stdout has closed its end, or an error if stdout cannot be written.
  private mutating func write() throws {
    let piece = output.prefix(Self.piece)
    let count = unsafe piece.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    // The reader of stdout has closed its end. If there are bytes to write, write(2) shows this with EPIPE. Otherwise,
    // poll(2) has shown it.
    if piece.isEmpty || (count < 0 && errno == EPIPE) { throw ExitCode.success }
    if count < 0 {
      if errno == EINTR || errno == EAGAIN { return }
      throw StandardOutput.unwritable(errno)
    }
    output.removeFirst(count)
  }

  private func report(_ line: String) { StandardError.print("obdgate tail: \(line)") }
}
