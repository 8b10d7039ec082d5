import Foundation
import Glibc
import TestKit
import Testing

/// `obdgate doctor` on machines whose serial and Bluetooth devices are simulated.
@Suite struct DoctorDevicesTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private static let obdlink = """
    {"plug": "a", "socket": "1-1", "number": 0, "vendor": "0403", "product": "6015", "serial": "113011099400",
     "maker": "ScanTool.net LLC", "name": "OBDLink SX"}
    """
  private static let ch340 = """
    {"plug": "b", "socket": "1-2", "number": 1, "vendor": "1a86", "product": "7523", "name": "USB2.0-Serial"}
    """

  /// Returns the findings about adapters on a machine with these serial devices.
  private func adapters(
    _ devices: [String], _ configuration: String = "{}", before: String = ""
  ) throws -> [PrintedJSON] {
    let wrapper = try Tool.required("umockdev-wrapper")
    let modules = "import gi; gi.require_version('UMockdev', '1.0'); from gi.repository import UMockdev"
    guard try Tool.run("/usr/bin/python3", ["-c", modules]).status == 0 else {
      try Tool.missing("gir1.2-umockdev-1.0 and python3-gi", remedy: "make test installs them")
    }
    let steps = try scratch.write("steps.json", "[\((devices + ["{\"start\": true}"]).joined(separator: ",\n"))]")
    let file = try scratch.write("gateway.json", configuration)
    let program = try Tool.obdgate
    let bed = TestData.projectRoot + "/scripts/testbed/udev.py"
    let look = "'\(wrapper)' /usr/bin/python3 '\(bed)' '\(steps)' '\(program)' doctor --json --config '\(file)'"
    let result = try punctual { try Tool.shell("\(before)\n\(look)", limit: .seconds(200)) }
    return try PrintedJSON.lines(result.output).filter { $0["check"] == "adapter" }
  }

  private func what(_ findings: [PrintedJSON], _ text: String) -> PrintedJSON? {
    findings.first { $0["what"]?.text?.contains(text) == true }
  }

  // MARK: Serial

  @Test func a_known_adapter_is_fine_and_an_unknown_device_is_reported() throws {
    let findings = try adapters([Self.obdlink, Self.ch340])
    #expect(what(findings, "/dev/ttyUSB0: an adapter (ScanTool.net LLC OBDLink SX)")?["verdict"] == "ok")
    #expect(what(findings, "/dev/ttyUSB1: an unknown device (USB2.0-Serial)")?["verdict"] == "ok")
    #expect(what(findings, "no serial device that is known") == nil)
  }

  @Test func doctor_explains_how_to_configure_an_unknown_device() throws {
    let findings = try adapters([Self.ch340])
    let finding = what(findings, "no serial device that is known to be an adapter")
    #expect(finding?["verdict"] == "warning")
    #expect(finding?["remedy"]?.text?.contains(#""adapters": [{"device": "/dev/ttyUSB1"}]"#) == true)
  }

  @Test func a_configured_adapter_that_is_not_there_is_a_problem() throws {
    let findings = try adapters([Self.obdlink], #"{"adapters": [{"device": "/dev/ttyUSB7"}]}"#)
    let finding = what(findings, "/dev/ttyUSB7: the configured adapter")
    #expect(finding?["verdict"] == "problem")
    #expect(finding?["remedy"]?.text?.contains("obdgate scan") == true)
  }

  @Test func a_file_that_is_not_a_serial_device_is_a_problem() throws {
    let file = try scratch.write("file", "")
    let names = [file, scratch.path, "/dev/null"]
    let configuration = try scratch.write(
      "gateway.json",
      """
      {"adapters": [\(names.map { "{\"device\": \"\($0)\"}" }.joined(separator: ","))],
       "discovery": {"serial": false, "bluetooth": false}}
      """)
    let findings = try doctor(["--config", configuration])
    for name in names {
      let finding = what(findings, "\(name): the configured adapter")
      #expect(finding?["verdict"] == "problem")
      #expect(finding?["what"]?.text == "\(name): the configured adapter: not a serial line")
      #expect(finding?["remedy"] == "name a device such as /dev/ttyUSB0")
    }
  }

  /// Returns the path of a terminal that no program has open, and a program that keeps it in existence.
  private func pseudoTerminal() throws -> (program: RunningProgram, path: String) {
    let python = try Tool.required("python3")
    let script = """
      import os, time
      master, line = os.openpty()
      name = os.ttyname(line)
      os.close(line)
      print(name, flush=True)
      time.sleep(600)
      """
    let program = try RunningProgram(python, ["-c", script])
    return (program, try program.line(within: .seconds(60)) { !$0.isEmpty }.text)
  }

  @Test func a_serial_line_unknown_to_udev_is_not_a_problem() throws {
    let (program, path) = try pseudoTerminal()
    defer { program.kill() }
    let configuration = try scratch.write(
      "gateway.json", #"{"adapters": [{"device": "\#(path)"}], "discovery": {"serial": false, "bluetooth": false}}"#)
    #expect(what(try doctor(["--config", configuration]), "\(path): the configured adapter")?["verdict"] == "ok")
  }

  @Test(.needsRoot) func a_user_without_permission_for_a_serial_device_gets_every_remedy() throws {
    let setpriv = try Tool.required("setpriv")
    let (line, path) = try pseudoTerminal()
    defer { line.kill() }
    unsafe chmod(scratch.path, 0o755)
    let program = scratch.file("obdgate")
    #expect(try Tool.run("cp", [try Tool.obdgate, program]).status == 0)
    #expect(try Tool.run("chown", ["root:dialout", path]).status == 0)
    func finding(_ device: String, mode: mode_t? = nil) throws -> PrintedJSON? {
      if let mode { unsafe chmod(device, mode) }
      let configuration = try scratch.write(
        "gateway.json",
        #"{"adapters": [{"device": "\#(device)"}], "discovery": {"serial": false, "bluetooth": false}}"#)
      let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
      let result = try Tool.run(setpriv, nobody + [program, "doctor", "--json", "--config", configuration])
      return what(try PrintedJSON.lines(result.output), "\(device): the configured adapter")
    }
    let joining = "usermod -aG dialout nobody, then log in again"
    #expect(try finding(path, mode: 0o660)?["remedy"]?.text == joining)
    #expect(try finding(path, mode: 0o600)?["remedy"]?.text == "chmod g+rw \(path); and \(joining)")
    // A terminal whose mode udev resets.
    guard FileManager.default.fileExists(atPath: "/dev/tty1") else { return }
    let known = try finding("/dev/tty1")?["remedy"]?.text
    #expect(known?.hasPrefix(#"a udev rule: KERNEL=="tty1", GROUP=""#) == true, "\(known ?? "nothing")")
    #expect(known?.hasSuffix(" nobody, then log in again") == true, "\(known ?? "nothing")")
  }

  @Test func doctor_warns_of_programs_that_claim_adapters() throws {
    let sleep = try Tool.required("sleep")
    for name in ["ModemManager", "brltty"] {
      #expect(try Tool.run("cp", [sleep, scratch.file(name)]).status == 0)
    }
    // Wait until the programs exist. A child has the name of its parent until it executes another program,
    // and it is not in /proc if it has ended.
    let start = """
      '\(scratch.file("ModemManager"))' 600 & one=$!; '\(scratch.file("brltty"))' 600 & two=$!
      trap 'kill $one $two; wait' EXIT
      until grep -qx ModemManager /proc/$one/comm && grep -qx brltty /proc/$two/comm; do
        kill -0 $one $two || exit 1
      done
      """
    let findings = try amongNoOtherRivals { try adapters([Self.obdlink], before: start) }
    #expect(what(findings, "ModemManager runs")?["remedy"]?.text?.contains("ID_MM_DEVICE_IGNORE") == true)
    #expect(what(findings, "brltty runs")?["remedy"]?.text?.contains("apt-get remove brltty") == true)
  }

  // MARK: Bluetooth

  private static let serialPort = "00001101-0000-1000-8000-00805f9b34fb"

  /// Returns the findings about Bluetooth on a machine whose BlueZ has these devices.
  private func bluetooth(_ machine: String, _ configuration: String) throws -> [PrintedJSON] {
    try Tool.required("dbus-daemon")
    guard try Tool.run("/usr/bin/python3", ["-c", "import dbus, dbusmock"]).status == 0 else {
      try Tool.missing("python3-dbusmock", remedy: "make test installs it")
    }
    let devices = try scratch.write("devices.json", machine)
    let file = try scratch.write("gateway.json", configuration)
    let bed = TestData.projectRoot + "/scripts/testbed/bluez.py"
    let program = try Tool.obdgate
    let arguments = [bed, devices, program, "doctor", "--json", "--config", file]
    let result = try punctual { try Tool.run("/usr/bin/python3", arguments, limit: .seconds(200)) }
    return try PrintedJSON.lines(result.output).filter { $0["check"] == "bluetooth" }
  }

  @Test func configured_addresses_are_known_and_paired_or_not() throws {
    let machine = """
      {"controllers": ["hci0"], "devices": [
        {"controller": "hci0", "address": "00:1D:A5:68:98:8A", "name": "OBDLink LX", "paired": true,
         "services": ["\(Self.serialPort)"]},
        {"controller": "hci0", "address": "11:22:33:44:55:66", "name": "OBDII"},
        {"controller": "hci0", "address": "CC:22:33:44:55:66", "name": "vLinker"}]}
      """
    let configuration = """
      {"adapters": [{"rfcomm": "00:1D:A5:68:98:8A"}, {"rfcomm": "11:22:33:44:55:66"}, {"rfcomm": "AA:22:33:44:55:66"},
                    {"ble": "CC:22:33:44:55:66"}]}
      """
    let findings = try bluetooth(machine, configuration)
    #expect(
      findings.map { $0.only("verdict", "what") } == [
        .object(["verdict": "ok", "what": "hci0 is on, 1 devices paired"]),
        .object(["verdict": "ok", "what": "00:1D:A5:68:98:8A (OBDLink LX) is paired"]),
        .object([
          "verdict": "warning",
          "what":
            "11:22:33:44:55:66 (OBDII) is not paired: if it does not answer without pairing, 1234 and 0000 are tried",
        ]),
        .object(["verdict": "warning", "what": "AA:22:33:44:55:66 was never found by this machine"]),
        .object(["verdict": "ok", "what": "CC:22:33:44:55:66 (vLinker) is known, and not paired"]),
      ])
    #expect(findings[2]["remedy"]?.text?.contains("bluetoothctl pair 11:22:33:44:55:66") == true)
  }

  @Test func a_controller_that_is_off_is_a_problem_where_it_is_needed() throws {
    let machine = #"{"controllers": ["hci0"], "off": ["hci0"], "devices": []}"#
    let needed = try bluetooth(machine, #"{"adapters": [{"rfcomm": "00:1D:A5:68:98:8A"}]}"#)
    #expect(needed.map { $0["verdict"] } == ["problem"])
    #expect(needed[0]["remedy"]?.text?.contains("bluetoothctl power on") == true)
    #expect(try bluetooth(machine, "{}").map { $0["verdict"] } == ["warning"])
    #expect(try bluetooth(machine, #"{"discovery": {"bluetooth": false}}"#).map { $0["verdict"] } == ["ok"])
  }

  @Test func without_bluez_a_configured_adapter_is_a_problem() throws {
    let findings = try bluetooth("null", #"{"adapters": [{"rfcomm": "00:1D:A5:68:98:8A"}]}"#)
    #expect(findings.map { $0["verdict"] } == ["problem"])
    #expect(findings[0]["what"]?.text?.contains("apt install bluez") == true)
  }
}
