import Foundation
import Glibc

/// A mosquitto broker on a separate port, which can be killed and started again.
///
///     let broker = try Mosquitto(in: scratch)
public final class Mosquitto: @unchecked Sendable {
  public let port: Int
  private let folder: String
  private let program: String
  private let reserved: ReservedPort
  private var running: RunningProgram

  /// Starts a broker.
  ///
  /// - Parameters:
  ///   - settings: lines of its configuration, in addition to the listener.
  ///   - isPersistent: whether it stores its state in a file, by ``save()`` and when it ends.
  public init(
    _ settings: String = "allow_anonymous true", tls: String = "", isPersistent: Bool = false,
    in scratch: borrowing ScratchFolder
  ) throws {
    program = try Self.inSystemFolder ?? Tool.required("mosquitto")
    folder = scratch.path
    reserved = try ReservedPort()
    port = Int(reserved.number)
    // If root starts mosquitto, it changes to a user that may not write to this folder, so name root explicitly.
    let persistence =
      isPersistent ? "user root\npersistence true\npersistence_location \(folder)/" : "persistence false"
    try "\(persistence)\nlistener \(port) 127.0.0.1\n\(tls)\n\(settings)\n".write(
      toFile: folder + "/mosquitto.conf", atomically: true, encoding: .utf8)
    running = try Self.start(program, folder)
  }

  deinit { running.kill() }

  private static var inSystemFolder: String? {
    FileManager.default.isExecutableFile(atPath: "/usr/sbin/mosquitto") ? "/usr/sbin/mosquitto" : nil
  }

  private static func start(_ program: String, _ folder: String) throws -> RunningProgram {
    let running = try RunningProgram(program, ["-v", "-c", folder + "/mosquitto.conf"])
    do {
      try running.errorLine(within: .seconds(60)) { $0.hasSuffix(" running") }
    } catch {
      running.kill()
      throw error
    }
    return running
  }

  public func kill() throws {
    running.send(SIGKILL)
    _ = try running.end(within: .seconds(60))
  }

  /// Makes the broker write all acknowledged messages to its file (mosquitto(8), SIGUSR1), and waits until they are
  /// written. By default it acknowledges messages before it writes them; those that are not written yet are lost if it
  /// is killed.
  public func save() throws {
    let former = fileNumber
    running.send(SIGUSR1)
    let deadline = ContinuousClock.now + .seconds(60)
    // The broker writes a new file, which replaces the old one when it is complete.
    while fileNumber == former {
      guard .now < deadline else { throw RunningProgram.Late(description: "mosquitto has not saved") }
      poll(nil, 0, 5)
    }
  }

  private var fileNumber: Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/mosquitto.db")
    return attributes?[.systemFileNumber] as? Int
  }

  public func startAgain() throws { running = try Self.start(program, folder) }

  /// Starts a subscriber to a topic, and returns when the broker has accepted the subscription. For each message, the
  /// subscriber prints the topic, a space and the payload.
  public func subscriber(_ topic: String = "fleet/#", _ arguments: [String] = []) throws -> RunningProgram {
    let name = "test-\(UUID().uuidString.prefix(8))"
    let subscriber = try RunningProgram(
      "mosquitto_sub",
      ["-h", "127.0.0.1", "-p", "\(port)", "-V", "5", "-i", name, "-t", topic, "-F", "%r %t %p"] + arguments)
    try running.errorLine(within: .seconds(60)) { $0.contains("Sending SUBACK to \(name)") }
    return subscriber
  }

  /// The broker's error output since it was started.
  public var said: [String] { running.errorLines }

  /// Waits until the broker's error output contains a text.
  public func says(_ text: String) throws { try running.errorLine(within: .seconds(60)) { $0.contains(text) } }
}
