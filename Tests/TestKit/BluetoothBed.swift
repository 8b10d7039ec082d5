import Foundation

/// Bluetooth adapters on a separate system bus: `scripts/testbed/ble.py`, which documents the format of a scene, the
/// events of the BlueZ stand-in and its orders.
///
///     let bed = try BluetoothBed.start(scene)
///     try bed.event("connect")
///     try bed.order(#"{"do": "disconnect"}"#)
public final class BluetoothBed: Sendable {
  /// The address of the bus, for the variable `DBUS_SYSTEM_BUS_ADDRESS`.
  public let bus: String
  private let program: RunningProgram

  /// Starts the bus with a scene. If the Debian packages that this needs are not installed, the current test is
  /// skipped.
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
    // Close its input, upon which the program ends and stops its bus.
    program.closeInput()
    if (try? program.end(within: .seconds(60))) == nil { program.kill() }
  }

  /// All events so far.
  public var events: [String] { program.output.map(\.text) }

  /// Waits for the next event that begins with a text.
  @discardableResult
  public func event(_ beginning: String) throws -> String {
    try program.line(within: .seconds(60)) { $0.hasPrefix(beginning) }.text
  }

  /// Sends an order and waits until it was executed. Other events are skipped.
  public func order(_ json: String) throws {
    begin(json)
    try event("done ")
  }

  /// Sends an order and does not wait.
  public func begin(_ json: String) { program.writeLine(json) }
}
