import Foundation
import Simulator

/// A simulated adapter on a real port. It runs the code of `obdgate simulate` on a thread of the test's process.
public final class SimulatedAdapter: @unchecked Sendable {
  private let signal: StopSignal
  private let changed = NSCondition()
  private var names: [String] = []
  private var failure: SimulatorError?
  private var isOver = false
  /// The time at which the adapter's clock began. The times of faults are relative to it.
  public let started = ContinuousClock.now

  /// Starts the adapter.
  ///
  /// - Parameters:
  ///   - port: a pty, with or without a link to it, or a TCP port.
  ///   - scenario: the text of a scenario file.
  public init(
    _ port: SimulatorOptions.Port, scenario: String, faults: String? = nil, log: String? = nil, baud: Int? = nil,
    in folder: String
  ) throws {
    signal = try StopSignal()
    let file = folder + "/" + UUID().uuidString + ".json"
    try scenario.write(toFile: file, atomically: true, encoding: .utf8)
    var options = SimulatorOptions()
    options.port = port
    options.scenario = file
    options.faults = faults
    options.log = log
    options.baud = baud
    let finished = options
    Thread.detachNewThread { [self] in
      do throws(SimulatorError) {
        try runSimulator(finished, stop: signal) { name in
          changed.withLock {
            names.append(name)
            changed.broadcast()
          }
        }
      } catch {
        changed.withLock { failure = error }
      }
      changed.withLock {
        isOver = true
        changed.broadcast()
      }
    }
    _ = try name
  }

  /// The name of the port, for example `/dev/pts/3` or `127.0.0.1:35000`. Waits until it is known.
  public var name: String {
    get throws {
      let deadline = ContinuousClock.now + .seconds(60)
      changed.lock()
      defer { changed.unlock() }
      while true {
        if let failure { throw failure }
        if let name = names.last { return name }
        guard changed.wait(until: deadline) else {
          throw RunningProgram.Late(description: "the simulator announces no port")
        }
      }
    }
  }

  /// Ends the adapter, and waits until it has ended.
  public func stop() {
    signal.stop()
    let deadline = ContinuousClock.now + .seconds(60)
    changed.lock()
    defer { changed.unlock() }
    while !isOver, changed.wait(until: deadline) {}
  }
}
