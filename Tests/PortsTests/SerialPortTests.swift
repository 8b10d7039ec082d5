import CPorts
import Glibc
import Ports
import TestKit
import Testing

@Suite struct SerialPortTests {
  @Test func bytes_go_both_ways() throws {
    let line = try Adapter()
    var port = SerialPort(path: line.path)
    try port.open()
    try PortContract.carriesBytesBothWays(&port, peer: line.master)
    try PortContract.readsNoMoreThanThereIsRoomFor(&port, peer: line.master)
  }

  @Test func a_serial_port_whose_other_end_closes_is_gone() throws {
    var line: Adapter? = try Adapter()
    var port = SerialPort(path: line?.path ?? "")
    try port.open()
    line = nil
    try PortContract.findsThatTheDeviceWent(&port)
  }

  @Test func writing_to_a_lost_serial_port_is_an_error() throws {
    try Tool.withoutBirths {
      var line: Adapter? = try Adapter()
      var port = SerialPort(path: line?.path ?? "")
      try port.open()
      line = nil
      #expect(PortContract.kind { () throws(PortError) in _ = try PortContract.write("ATZ\r", &port) } == .gone)
    }
  }

  @Test func every_byte_passes_unchanged() throws {
    let line = try Adapter()
    var port = SerialPort(path: line.path)
    try port.open()
    // All bytes, also those on which a terminal that is not raw would act: interrupt, quit, flow control, end of file,
    // CR, NUL, 0xFF.
    let all = (0...255).map { UInt8($0) }
    #expect(try port.write(all.span) == 256)
    var heard = [UInt8](repeating: 0, count: 256)
    #expect(unsafe Glibc.read(line.master, &heard, 256) == 256)
    #expect(heard == all)
    #expect(unsafe Glibc.write(line.master, all, 256) == 256)
    var read: [UInt8] = []
    while read.count < 256 {
      PortContract.waitUntilReadable(port)
      var buffer = [UInt8](repeating: 0, count: 256)
      var span = buffer.mutableSpan
      read += buffer[..<(try port.read(into: &span))]
    }
    #expect(read == all)
  }

  @Test func nothing_is_echoed_to_the_device() throws {
    let line = try Adapter()
    var port = SerialPort(path: line.path)
    try port.open()
    line.write("ELM327 v1.5\r\r>")
    PortContract.waitUntilReadable(port)
    _ = try PortContract.read(&port)
    #expect(try PortContract.write("!", &port) == 1)
    #expect(line.hear(1) == "!")
  }

  @Test func a_busy_serial_port_names_its_user() throws {
    // A program that another test is starting has a copy of the line until it runs.
    try Tool.withoutBirths {
      let line = try Adapter()
      var first = SerialPort(path: line.path)
      try first.open()
      var second = SerialPort(path: line.path)
      let error = PortContract.error { () throws(PortError) in try second.open() }
      #expect(error?.kind == .busy)
      let reason = "busy: used by this program itself; stop it, or use another device"
      #expect(error?.description == "\(line.path): \(reason)")
      first.close()
      try second.open()
      #expect(second.isOpen == true)
    }
  }

  @Test func a_busy_serial_port_names_the_other_program() throws {
    let line = try Adapter()
    var port = SerialPort(path: line.path)
    // flock(1) locks the device while its command runs. The command reports this, and waits for the end of its input.
    let holder = try Running.start(["flock", "--exclusive", line.path, "cat"])
    holder.write("held\n")
    #expect(holder.hear(5) == "held\n")
    let error = PortContract.error { () throws(PortError) in try port.open() }
    #expect(error?.kind == .busy)
    #expect(error?.detail.contains("(pid ") == true, "\(error?.description ?? "opened")")
  }

  @Test func a_killed_process_does_not_leave_a_pseudo_terminal_claimed() throws {
    let line = try Adapter()
    var port = SerialPort(path: line.path)
    try port.open()
    // The flag would remain set on the terminal and exclude all users except root.
    let other = unsafe Glibc.open(line.path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    defer { Glibc.close(other) }
    #expect(other >= 0)
    #expect(cports_tty_is_exclusive(other) == 0)
  }

  /// Locks a port as another program does, and ends without unlocking it, as a killed program does.
  private func leaveClaimed(_ path: String) {
    let number = unsafe Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    #expect(cports_tty_set_exclusive(number, 1) == 0)
    Glibc.close(number)
  }

  @Test(.needsRoot) func a_stale_claim_of_a_serial_port_is_replaced() throws {
    try Tool.withoutBirths {
      let line = try Adapter()
      leaveClaimed(line.path)
      var port = SerialPort(path: line.path)
      try port.open()
      #expect(try PortContract.write("ATZ\r", &port) == 4)
      #expect(line.hear(4) == "ATZ\r")
    }
  }

  @Test(.needsRoot) func a_stale_claim_without_permission_is_reported_as_busy() throws {
    let line = try Adapter()
    #expect(unsafe chmod(line.path, 0o666) == 0)
    leaveClaimed(line.path)
    let scratch = try ScratchFolder()
    #expect(unsafe chmod(scratch.path, 0o755) == 0)
    let copy = scratch.file("probe")
    #expect(try Tool.run("cp", [Tool.probe("PortsProbe"), copy]).status == 0)
    let said = try Tool.run(
      "setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", copy, "ask", line.path, "ATZ"])
    #expect(
      said.output == "error \(line.path): busy: claimed by another program, possibly one that was killed; stop it, or "
        + "unplug the adapter and plug it in again\n")
  }

  /// 10400 is the rate of the K-line. This rate and the next one have no code in termios.
  @Test(arguments: [9_600, 38_400, 115_200, 230_400, 500_000, 1_000_000, 2_000_000, 10_400, 128_123])
  func any_rate_is_set_while_open(_ baud: Int) throws {
    let line = try Adapter()
    var port = SerialPort(path: line.path)
    try port.open()
    try port.setBaud(baud)
    #expect(port.baud == baud)
    #expect(cports_tty_baud(line.master) == baud)
  }

  @Test func other_programs_can_read_a_usual_rate() throws {
    let line = try Adapter()
    var port = SerialPort(path: line.path, baud: 115_200)
    try port.open()
    #expect(try Tool.run("stty", ["-F", line.path, "speed"]).output == "115200\n")
  }

  @Test(arguments: [0, -9_600, 5_000_000_000])
  func an_invalid_baud_rate_is_rejected_and_changes_nothing(_ baud: Int) throws {
    let line = try Adapter()
    var port = SerialPort(path: line.path, baud: 38_400)
    try port.open()
    #expect(PortContract.kind { () throws(PortError) in try port.setBaud(baud) } == .invalid)
    #expect(port.baud == 38_400)
    #expect(cports_tty_baud(line.master) == 38_400)
  }

  @Test func changing_the_baud_rate_discards_earlier_input() throws {
    let line = try Adapter()
    var port = SerialPort(path: line.path)
    try port.open()
    line.write("garbage")
    PortContract.waitUntilReadable(port)
    try port.setBaud(115_200)
    #expect(try PortContract.read(&port) == "")
  }

  /// Closing drops DTR if HUPCL is set. The port does not change the setting.
  @Test(arguments: ["hupcl", "-hupcl"])
  func the_hang_up_setting_of_a_serial_port_is_not_changed(_ setting: String) throws {
    let line = try Adapter()
    #expect(try Tool.run("stty", ["-F", line.path, setting]).status == 0)
    var port = SerialPort(path: line.path)
    try port.open()
    let said = try Tool.run("stty", ["-F", line.path, "-a"]).output
    #expect(said.split(whereSeparator: { $0.isWhitespace || $0 == ";" }).contains { $0 == setting }, "\(said)")
  }

  @Test func a_missing_serial_device_is_reported_as_missing() {
    var port = SerialPort(path: "/dev/ttyUSB-none")
    let error = PortContract.error { () throws(PortError) in try port.open() }
    #expect(error?.kind == .missing)
    #expect(error?.description.hasPrefix("/dev/ttyUSB-none: no such device; plug the adapter in") == true)
    #expect(port.isOpen == false)
  }

  @Test(arguments: ["/dev/null", "/dev"])
  func a_file_that_is_not_a_serial_device_is_rejected(_ path: String) {
    var port = SerialPort(path: path)
    #expect(PortContract.kind { () throws(PortError) in try port.open() } == .notSerial)
  }

  @Test func reading_a_port_that_was_never_opened_finds_it_gone() {
    var port = SerialPort(path: "/dev/ttyUSB0")
    #expect(PortContract.kind { () throws(PortError) in _ = try PortContract.read(&port) } == .gone)
    #expect(PortContract.kind { () throws(PortError) in try port.setBaud(9_600) } == .gone)
  }

  @Test(.needsRoot) func a_missing_permission_names_the_group() throws {
    let probe = try Tool.probe("PortsProbe")
    let line = try Adapter()
    #expect(unsafe chmod(line.path, 0o660) == 0)
    var status = stat()
    #expect(unsafe stat(line.path, &status) == 0)
    // The user nobody (65534) may not open the device; root always may. Therefore, this runs in a separate process.
    let scratch = try ScratchFolder()
    #expect(unsafe chmod(scratch.path, 0o755) == 0)
    let copy = scratch.file("probe")
    #expect(try Tool.run("cp", [probe, copy]).status == 0)
    let said = try Tool.run(
      "setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", copy, "ask", line.path, "ATZ"])
    #expect(said.status == 1, "\(said.errors)")
    let group = unsafe getgrgid(status.st_gid).map { unsafe String(cString: $0.pointee.gr_name) } ?? ""
    #expect(
      said.output == "error \(line.path): no permission; add the user to the group \(group): "
        + "usermod -aG \(group) USER, then log in again\n")
  }
}
