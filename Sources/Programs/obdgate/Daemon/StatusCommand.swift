import ArgumentParser
import CGateway
import Failures
import Glibc
import JSONText
import Ports

/// `obdgate status`: shows the state of the running daemon.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows the state of the running daemon: adapters, receivers, spool, sinks, stuck threads and failures.",
    discussion: """
      On a terminal the page is refreshed every second until Ctrl-C, with the rates of the last second. Otherwise it is \
      printed once, with the rates since the daemon started. Members of the group obdgate may use this command.
      """)

  @OptionGroup var options: SocketOption

  @Flag(help: "Print the daemon's answer once, as one line of JSON.")
  var json = false

  @Flag(help: "Print the page once, on a terminal, too.")
  var once = false

  func run() throws {
    let isFollowed = !json && !once && isatty(STDOUT_FILENO) == 1
    do {
      let socket = try checked { () throws(DaemonTrouble) in try DaemonSocket.found(named: options.socket) }
      if isFollowed { try Self.follow(socket) } else { try writeOnce(socket) }
    } catch let failure as Failure {
      throw failure.reported(by: "status")
    }
  }

  private func writeOnce(_ socket: DaemonSocket) throws {
    var output = OutputStream()
    if json {
      let line = try Self.line(of: socket)
      try output.write(line.span)
    } else {
      for line in try Self.page(of: socket) { try output.write(line) }
    }
    try output.flush()
  }

  private static func page(of socket: DaemonSocket) throws(Failure) -> [String] {
    let status = try checked { () throws(DaemonTrouble) in try DaemonStatus(of: socket) }
    return StatusPage(status, columns: LivePage.size?.columns).lines
  }

  /// Returns the daemon's response as one text line.
  private static func line(of socket: DaemonSocket) throws(Failure) -> [UInt8] {
    let text: [UInt8]
    do throws(DaemonTrouble) {
      text = try socket.get("/status", limit: DaemonStatus.limit)
    } catch {
      throw error.failure
    }
    do throws(JSONError) {
      _ = try JSONObjectReader(JSONDocument(parsing: text).root)
    } catch {
      throw Failure(.unavailable, "\(socket.path): its response is invalid: \(error.message)")
    }
    // Valid JSON has line ends only between values. Therefore, they can be removed.
    return PlainText.escaped(text.filter { $0 != 0x0A && $0 != 0x0D }) + [0x0A]
  }

  private static func follow(_ socket: DaemonSocket) throws {
    var output = OutputStream()
    let wakeUp: WakeUp
    do throws(PortError) {
      wakeUp = try WakeUp()
    } catch {
      throw Failure(.unavailable, error.description)
    }
    cgateway_catch_signals(wakeUp.descriptor)
    var before: DaemonStatus?
    var isFirst = true
    repeat {
      let columns = (LivePage.size ?? LivePage.usualSize).columns
      switch Result(catching: { () throws(DaemonTrouble) in try DaemonStatus(of: socket, unless: wakeUp) }) {
      case .success(let status):
        if isFirst { try output.write("\u{1B}[2J".utf8.span) }
        try LivePage.show(StatusPage(status, since: before, columns: columns).lines, on: &output)
        before = status
      case .failure(let trouble):
        if trouble.kind == .interrupted { return }
        // If the first attempt fails, report the error and end. Later errors are shown, and the attempts continue,
        // because the daemon may be restarting.
        if isFirst { throw trouble.failure }
        before = nil
        let text = LivePage.wrapped(trouble.description, to: columns)
        try LivePage.show(text + ["retrying every second"], on: &output)
      }
      isFirst = false
    } while !wakeUp.wait(until: BootClock.now + 1_000_000_000)
  }
}

/// Runs a step, and converts its error to the failure with which the command ends.
private func checked<Value>(_ make: () throws(DaemonTrouble) -> Value) throws(Failure) -> Value {
  do throws(DaemonTrouble) {
    return try make()
  } catch {
    throw error.failure
  }
}
