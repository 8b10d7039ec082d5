import Foundation
import TestKit
import Testing

@testable import PackagingTestKit

/// 70-obdgate.rules in the form in which udev reads it.
@Suite struct RulesTests {
  private static let path = TestData.projectRoot + "/systemd/70-obdgate.rules"

  /// The lines that contain rules.
  private static var rules: [Substring] {
    get throws {
      try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
    }
  }

  /// udev's keys that end with an S match if any parent device matches. With `!=` they match if any does not, which is
  /// always the case.
  @Test func no_udev_rule_negates_a_match_of_parent_devices() throws {
    let rules = try Self.rules
    #expect(rules.contains { $0.contains("SUBSYSTEMS==") })
    let asking = #"\b(SUBSYSTEMS|KERNELS|DRIVERS|TAGS|ATTRS\{[^}]*\})!="#
    for rule in rules { #expect(rule.range(of: asking, options: .regularExpression) == nil, "\(rule)") }
  }

  @Test func the_names_are_those_that_the_daemon_knows() throws {
    let python = try Tool.required("python3")
    let checked = try Tool.run(python, [TestData.projectRoot + "/scripts/adapter-rules.py", "--check"])
    #expect(checked.status == 0, "\(checked.errors)")
  }

  @Test func udev_tags_adapters_by_any_spelling_of_their_names_and_nothing_else() async throws {
    let source = try String(
      contentsOfFile: TestData.projectRoot + "/Sources/Vehicle/Ports/Discovery/KnownProducts.swift", encoding: .utf8)
    let listed = try #require(source.firstMatch(of: /adapterWords = \[([^\]]*)\]/)).1
    let words = listed.matches(of: /"([^"]+)"/).map { String($0.1) }
    #expect(words.count > 20)
    var adapters = words.map { (maker: "FTDI", name: "USB \($0) v1.5") }
    for (index, word) in words.enumerated() {
      // The name in two parts, with capitals.
      let parts = (word.prefix(3).uppercased(), word.dropFirst(3).capitalized)
      adapters.append(("", parts.0 + ["-", " ", "_"][index % 3] + parts.1))
    }
    adapters += [("ScanTool.net LLC", "USB <-> Serial"), ("OBD", ""), ("", "Obd")]
    let others = [
      (maker: "FTDI", name: "FT232R USB UART"), ("Prolific Technology Inc.", "USB-Serial Controller D"),
      ("", "USB2.0-Serial"),
      ("Silicon Labs", "CP2102 USB to UART Bridge Controller"), ("Zebra", "ZTC GK420d"), ("OBD", "Printer"),
    ]
    let (known, strangers) = (adapters, others)
    try await runBlocking {
      let tagged = try Self.tagged(known + strangers)
      for (device, isTagged) in zip(known, tagged) { #expect(isTagged, "\(device)") }
      for (device, isTagged) in zip(strangers, tagged.dropFirst(known.count)) { #expect(!isTagged, "\(device)") }
    }
  }

  @Test func a_local_udev_rule_overrides_the_packages_rules() async throws {
    let own = """
      ATTRS{product}=="OBDLink MX", ENV{OBDGATE}="ignore"
      ATTRS{product}=="FT232R USB UART", ENV{OBDGATE}="adapter"
      """
    try await runBlocking {
      let devices = [("ScanTool", "OBDLink MX"), ("FTDI", "FT232R USB UART"), ("ScanTool", "OBDLink EX")]
      let tagged = try Self.tagged(devices, own: own)
      #expect(tagged == [false, true, true])
    }
  }

  /// For a bridge that was plugged in before the package was installed, the package's own trigger sets the latency.
  @Test func the_package_triggers_exactly_the_devices_of_its_udev_rules() throws {
    let script = try String(
      contentsOfFile: TestData.projectRoot + "/packaging/obdgate/postinst", encoding: .utf8)
    let triggered = Set(script.matches(of: /--subsystem-match=([a-z-]+)/).map { String($0.1) })
    let named = Set(try Self.rules.flatMap { $0.matches(of: /\bSUBSYSTEM[!=]="([a-z-]+)"/).map { String($0.1) } })
    #expect(named == ["tty", "usb-serial"])
    #expect(triggered == named)
    #expect(script.contains("udevadm trigger --action=change "))
    // No rule is limited to newly added devices.
    for rule in try Self.rules { #expect(!rule.contains("ACTION==\"add"), "\(rule)") }
  }

  /// Returns for each device whether udev's own program tags it, using only these rules and those of a file before
  /// them.
  private static func tagged(_ devices: [(maker: String, name: String)], own: String = "") throws -> [Bool] {
    let umockdev = try Tool.required("umockdev-run")
    try Tool.required("udevadm")
    guard geteuid() == 0 else {
      try Tool.missing("root, for a udev with rules of the test's own,", remedy: "run the tests as root")
    }
    let scratch = try ScratchFolder()
    var tree =
      "P: /devices/usb1\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\nA: idVendor=1d6b\nA: manufacturer=ELM327 hub\n\n"
    for (number, device) in devices.enumerated() {
      let facts = [("manufacturer", device.maker), ("product", device.name)].filter { !$0.1.isEmpty }
      let path = "/devices/usb1/1-\(number)"
      tree += "P: \(path)\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\nA: idVendor=0403\n"
      tree += facts.map { "A: \($0.0)=\($0.1)\n" }.joined() + "\n"
      tree += "P: \(path)/1-\(number):1.0/tty/ttyUSB\(number)\nE: SUBSYSTEM=tty\nE: DEVNAME=/dev/ttyUSB\(number)\n"
      tree += "E: MAJOR=188\nE: MINOR=\(number)\n\n"
    }
    let rules = scratch.file("rules")
    try FileManager.default.createDirectory(atPath: rules, withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: path, toPath: rules + "/70-obdgate.rules")
    try own.write(toFile: rules + "/60-own.rules", atomically: false, encoding: .utf8)
    let script = """
      set -e
      mount --bind '\(rules)' /usr/lib/udev/rules.d
      exec \(umockdev) --device '\(try scratch.write("devices", tree))' -- sh -c '
        for number in $(seq 0 \(devices.count - 1)); do
          udevadm test --action=change /sys/devices/usb1/1-$number/1-$number:1.0/tty/ttyUSB$number 2>/dev/null |
            sed -n "s/^OBDGATE=/$number /p; s/^SYSTEMD_WANTS=/$number /p"
        done'
      """
    let ran = try Tool.run("unshare", ["--mount", "sh", "-c", script], limit: .seconds(300))
    guard ran.status == 0 else { throw BootedImage.Failed(description: "udevadm test: \(ran.errors)") }
    let lines = Set(ran.lines.map(String.init))
    return devices.indices.map { lines.isSuperset(of: ["\($0) adapter", "\($0) obdgate-adapter.service"]) }
  }
}
