import AdapterSession
import ArgumentParser
import CGateway
import CommandLineSupport
import Failures
import Ports

/// `obdgate record`: polls a vehicle, and writes the dialogue to a capture file.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Polls a vehicle as the daemon does, and writes every byte to a capture file.",
    discussion: "It runs until SIGINT or SIGTERM. Read the file with obdgate replay.")

  @OptionGroup var adapter: DeviceOption

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The capture file. An existing file is replaced.", valueName: "file"),
    completion: .file())
  var output: String

  @Option(help: ArgumentHelp("Duration. Default: until the command is stopped.", valueName: "seconds"))
  var duration: Double?

  func validate() throws {
    if let duration, !(0.1...604_800).contains(duration) {
      throw ValidationError("--duration \(duration): expected 0.1 to 604800 seconds")
    }
  }

  func run() throws {
    do {
      let address = try adapter.address()
      try RecordRun(address: address, path: output, nanoseconds: duration.map { Int64(($0 * 1e9).rounded()) }).run()
    } catch let failure as Failure {
      throw failure.reported(by: "record")
    }
  }
}

/// Opens a port, and records the dialogue on it. If the session requests it, the port is closed and opened again.
struct RecordRun {
  let address: PortAddress
  let path: String
  /// Duration of the recording, ns; `nil` to record until SIGINT or SIGTERM.
  let nanoseconds: Int64?

  private static let openingLimit = Duration.seconds(15)

  func run() throws {
    let wakeUp = try checked { () throws(PortError) in try WakeUp() }
    cgateway_catch_signals(wakeUp.descriptor)
    var loop = try checked { () throws(PortError) in try PortLoop(wakeUp: wakeUp) }
    var port = AddressedPort(address)
    // Open the port before the file is created. Otherwise, a missing device would leave an empty file.
    try checked { () throws(PortError) in try port.open(within: Self.openingLimit, unless: wakeUp) }
    var recorder = Recorder(at: address, into: try OutputStream(path: path), nanoseconds: nanoseconds)
    var failure: Failure?
    do throws(PortError) {
      while true {
        try loop.run(&port, &recorder)
        port.close()
        // The adapter no longer answers, and the session has requested that the port is opened again.
        guard !recorder.hasEnded, let moment = recorder.reopenNotBefore else { break }
        if wakeUp.wait(until: min(moment, recorder.end)) || BootClock.now >= recorder.end { break }
        try port.open(within: Self.openingLimit, unless: wakeUp)
      }
    } catch {
      if error.kind != .interrupted { failure = Failure(.unavailable, "\(error.description); what came is in \(path)") }
    }
    port.close()
    try recorder.finish()
    StandardError.print("obdgate record: \(path): \(recorder.summary)")
    if failure == nil { failure = recorder.nothingFound.map { Failure(.unavailable, "\(address.device): \($0)") } }
    if let failure { throw failure }
  }

  private func checked<Value: ~Copyable>(_ make: () throws(PortError) -> Value) throws(Failure) -> Value {
    do throws(PortError) {
      return try make()
    } catch {
      throw Failure(.unavailable, error.description)
    }
  }
}
