import Foundation

/// Bluetooth adapters on a separate system bus: `scripts/testbed/ble.py`, which documents the format of a scene, the
/// events of the BlueZ stand-in and its orders.
///
///     let bed = try BluetoothBed.start(scene)
///     try bed.event("connect")
///     try bed.order(#"{"do": "disconnect"}"#)
public final class BluetoothBed: Sendable {
  /// For `DBUS_SYSTEM_BUS_ADDRESS`.
  public let bus: String
  private let program: RunningProgram

  /// If Debian's packages for it are missing, the current test is skipped.
  public static func start(_ scene: String) throws -> BluetoothBed {
    try Tool.required("dbus-daemon")
    let python = "/usr/bin/python3"
    guard FileManager.default.isExecutableFile(atPath: python),
      try Tool.run(python, ["-c", "import dbus, dbusmock, gi"]).status == 0
    else {
      try Tool.missing("python3-dbusmock", remedy: "make test installs it")
    }
    return try BluetoothBed(python, scene)
  }

  private init(_ python: String, _ scene: String) throws {
    let scratch = try ScratchFolder()
    let file = try scratch.write("scene.json", scene)
    program = try RunningProgram(python, [TestData.projectRoot + "/scripts/testbed/ble.py", file], isFed: true)
    do { bus = String(try program.line(within: .seconds(60)) { $0.hasPrefix("bus ") }.text.dropFirst(4)) } catch {
      program.kill()
      throw error
    }
  }

  deinit {
    // The end of its input ends it and its bus.
    program.closeInput()
    if (try? program.end(within: .seconds(60))) == nil { program.kill() }
  }

  /// The events so far.
  public var events: [String] { program.output.map(\.text) }

  /// Waits for the next event with this beginning.
  @discardableResult
  public func event(_ beginning: String) throws -> String {
    try program.line(within: .seconds(60)) { $0.hasPrefix(beginning) }.text
  }

  /// Sends an order and waits until it is executed; other events are skipped.
  public func order(_ json: String) throws {
    begin(json)
    try event("done ")
  }

  /// Has something happen, and does not wait.
  public func begin(_ json: String) { program.say(json) }
}
