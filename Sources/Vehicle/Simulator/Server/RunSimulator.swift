import Glibc
import JSONText

/// Runs a virtual adapter until SIGTERM, SIGINT or SIGHUP, or until `stop` is signalled.
///
/// - Parameters:
///   - options: scenario, port and other options.
///   - stop: the signal with which another thread ends the run; `nil` to install handlers of SIGTERM, SIGINT and SIGHUP
///     instead.
///   - announce: called with the port's name each time the port is created. A name is `/dev/pts/3` or
///     `127.0.0.1:35000`, for example.
/// - Throws: ``SimulatorError`` if the port is unavailable, or if options, scenario or faults are invalid.
public func runSimulator(
  _ options: SimulatorOptions, stop: StopSignal? = nil, announce: (String) -> Void
) throws(SimulatorError) {
  let scenario = try Scenario(options)
  let ending: StopSignal
  if let stop {
    ending = stop
  } else {
    ending = try StopSignal()
    ending.catchTermination()
  }
  switch options.port {
  case .pty(let link):
    var run = try SimulatorRun(PTYServer(link: link), scenario, options)
    try run.run(until: ending, announce: announce)
  case .tcp(let port):
    var run = try SimulatorRun(TCPServer(port: port), scenario, options)
    try run.run(until: ending, announce: announce)
  }
}

extension Scenario {
  /// Reads the scenario that the options name, and changes it as the other options require.
  init(_ options: SimulatorOptions) throws(SimulatorError) {
    self = try options.scenario.map { path throws(SimulatorError) in try Scenario(file: path) } ?? .standard
    if let baud = options.baud {
      guard (300...4_000_000).contains(baud) else {
        throw SimulatorError(.usage, "baud \(baud): expected 300 to 4000000")
      }
      adapter.baud = baud
    }
    if let latency = options.latency {
      guard latency >= .zero else { throw SimulatorError(.usage, "latency: expected 0 ms or more") }
      for car in cars.indices {
        cars[car].car.latency = latency
        for ecu in cars[car].car.ecus.indices { cars[car].car.ecus[ecu].latency = nil }
      }
    }
    guard let list = options.faults else { return }
    do {
      faults += try Fault.list(list)
    } catch {
      throw SimulatorError(.usage, "faults: \(error)")
    }
  }

  /// Reads a scenario file.
  ///
  /// - Throws: ``SimulatorError`` if the file cannot be read or is invalid.
  public init(file path: String) throws(SimulatorError) {
    let raw = unsafe open(path, O_RDONLY)
    guard raw >= 0 else { throw .system(errno == ENOENT || errno == ENOTDIR ? .noInput : .inputOutput, path) }
    let file = Descriptor(raw)
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    reading: while true {
      let count = unsafe read(file.raw, &buffer, buffer.count)
      switch count {
      case 0: break reading
      case 1...: text += buffer[..<count]
      default:
        if errno == EINTR { continue }
        throw .system(errno == EISDIR ? .noInput : .inputOutput, path)
      }
      guard text.count <= 16 << 20 else { throw SimulatorError(.badScenario, "\(path): longer than 16 MiB") }
    }
    do throws(JSONFaults) {
      self = try Scenario(parsing: text)
    } catch {
      throw SimulatorError(.badScenario, lines: error.all.messages(in: path))
    }
  }
}
