import ArgumentParser
import CGateway
import CommandLineSupport
import Failures
import Glibc
import Ports

/// Prints a daemon's records until the command is stopped.
///
/// If the reader of standard output is slow, a few records wait in this process and the others in the daemon, which
/// drops those that exceed its buffer. A slow reader therefore never delays the daemon.
struct TailRun: ~Copyable {
  private let named: String?
  private let isOnce: Bool
  private let wakeUp: WakeUp
  private var connection: DaemonConnection?
  /// The descriptor of the connection; -1 if there is none.
  private var descriptor: Int32 = -1
  private var stream: RecordStream
  /// Bytes that wait to be written to standard output.
  private var output: [UInt8] = []
  private var retryAt = Int64.min
  private var wasConnected = false
  /// Whether the command waits for a new daemon, and has reported that the previous one has ended.
  private var isWaiting = false

  private static let pause: Int64 = 1_000_000_000
  private static let outputLimit = 1 << 18
  /// Number of bytes that a pipe accepts without blocking if poll(2) reports it as writable (pipe(7), PIPE_BUF).
  private static let piece = 4_096

  /// Prepares the command.
  ///
  /// - Parameters:
  ///   - socket: the socket that the user named; `nil` to search for one.
  ///   - isOnce: whether the command ends when the daemon ends.
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

  /// Runs until the command is stopped.
  ///
  /// - Throws: an error if there is no daemon, or if standard output cannot be written.
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
    if isWaiting { say("\(socket.path): connected again; records in between are not repeated") }
    wasConnected = true
    isWaiting = false
    // Bytes that arrived together with the head of the response are already in memory, so poll(2) does not report them.
    try receive()
  }

  private mutating func receive() throws(DaemonTrouble) {
    guard let bytes = try connection?.take() else { return }
    if bytes.isEmpty { throw DaemonTrouble(.gone, "obdgated has ended, or accepts no readers") }
    let strangers = stream.strangers
    stream.append(bytes, into: &output)
    if stream.strangers > 0, strangers == 0 { say("a line that is not a record was dropped") }
  }

  /// Handles the loss of the connection.
  ///
  /// - Throws: the error, unless the command waits for a new daemon.
  private mutating func lost(_ trouble: DaemonTrouble) throws {
    connection = nil
    descriptor = -1
    stream.restart()
    // Print the records that were received before the error is reported.
    if !wasConnected || isOnce {
      while !output.isEmpty { try write() }
      throw trouble.failure
    }
    if !isWaiting { say("\(trouble); waiting for it") }
    isWaiting = true
    retryAt = BootClock.now + Self.pause
  }

  /// Writes as much as standard output accepts at once.
  ///
  /// - Throws: the exit of the program if the reader has closed its end.
  private mutating func write() throws {
    let piece = output.prefix(Self.piece)
    let count = unsafe piece.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    // The reader of standard output has closed its end. If there is something to write, EPIPE shows this; otherwise
    // poll(2) shows it.
    if piece.isEmpty || (count < 0 && errno == EPIPE) { throw ExitCode.success }
    if count < 0 {
      if errno == EINTR || errno == EAGAIN { return }
      throw StandardOutput.unwritable(errno)
    }
    output.removeFirst(count)
  }

  private func say(_ line: String) { StandardError.say("obdgate tail: \(line)") }
}
