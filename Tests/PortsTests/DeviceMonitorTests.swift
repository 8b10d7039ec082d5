import TestKit
import Testing

/// libudev in a program, with devices that umockdev plugs in and out.
@Suite struct DeviceMonitorTests {
  private static let obdlink = """
    "socket": "1-1", "number": 0, "vendor": "0403", "product": "6015", "serial": "113011099400",
    "maker": "ScanTool.net LLC", "name": "OBDLink SX"
    """
  private static let ch340 = """
    "socket": "1-2", "number": 1, "vendor": "1a86", "product": "7523", "name": "USB2.0-Serial"
    """

  /// Runs the steps; `nil` if the tools are missing.
  private static func run(_ steps: String, _ arguments: [String]) throws -> Tool.Result {
    let wrapper = try Tool.required("umockdev-wrapper")
    let bed = try Testbed.path(
      "udev.py", modules: "import gi; gi.require_version('UMockdev', '1.0'); from gi.repository import UMockdev",
      packages: "gir1.2-umockdev-1.0 and python3-gi")
    let scratch = try ScratchFolder()
    let file = try scratch.write("steps.json", steps)
    return try Tool.run(
      wrapper, ["/usr/bin/python3", bed, file, try Tool.probe("PortsProbe")] + arguments, limit: .seconds(300))
  }

  @Test func devices_that_are_there_are_listed_with_ids_texts_and_tag() throws {
    let steps = """
      [{"plug": "a", \(Self.obdlink)},
       {"plug": "b", \(Self.ch340), "properties": {"OBDGATE": "ignore"}},
       {"start": true}]
      """
    let result = try Self.run(steps, ["devices"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.lines == [
        "/dev/ttyUSB0 usb:0403:6015:113011099400 'ScanTool.net LLC OBDLink SX' adapter(knownProduct)",
        "/dev/ttyUSB1 usb:1a86:7523@pci-0000:00:14.0-usb-0:1-2:1.0 'USB2.0-Serial' leave(ignored)",
      ])
  }

  @Test func plugging_and_unplugging_are_reported() throws {
    let steps = """
      [{"plug": "a", \(Self.obdlink)}, {"start": true}, {"await": "ready"},
       {"plug": "b", \(Self.ch340), "links": ["serial/by-id/usb-1a86", "obd"]}, {"await": "appeared /dev/ttyUSB1"},
       {"unplug": "a"}, {"await": "disappeared /dev/ttyUSB0"}]
      """
    let result = try Self.run(steps, ["watch", "2"])
    #expect(result.lines.contains { $0.hasSuffix("listen /dev/obd,/dev/serial/by-id/usb-1a86") }, "\(result.output)")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
        "present /dev/ttyUSB0", "ready", "appeared /dev/ttyUSB1", "disappeared /dev/ttyUSB0",
      ])
  }

  @Test(arguments: [0, 2]) func a_device_that_comes_back_keeps_its_key_whatever_its_number(_ number: Int) throws {
    let again = Self.obdlink.replacing("\"number\": 0", with: "\"number\": \(number)")
    let steps = """
      [{"plug": "a", \(Self.obdlink)}, {"start": true}, {"await": "ready"},
       {"unplug": "a"}, {"await": "disappeared"}, {"plug": "a", \(again)}, {"await": "appeared"}]
      """
    let result = try Self.run(steps, ["watch", "2"])
    #expect(result.status == 0, "\(result.errors)")
    let words = result.lines.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
    #expect(words.first == "present /dev/ttyUSB0 usb:0403:6015:113011099400")
    #expect(words.last == "appeared /dev/ttyUSB\(number) usb:0403:6015:113011099400")
  }

  /// The whole sequence: found in /dev, opened, queried, answered, unplugged.
  @Test func an_unplugged_serial_port_is_gone() throws {
    let steps = """
      [{"plug": "a", \(Self.obdlink), "answers": {"ATZ": "ELM327 v1.5"}}, {"start": true}, {"await": "prompt"},
       {"unplug": "a"}, {"await": "gone"}]
      """
    let result = try Self.run(steps, ["ask", "/dev/ttyUSB0", "ATZ"])
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.lines.prefix(2) == ["answer ELM327 v1.5", "prompt"])
    #expect(result.lines.last?.hasPrefix("error /dev/ttyUSB0: gone") == true, "\(result.output)")
  }
}
