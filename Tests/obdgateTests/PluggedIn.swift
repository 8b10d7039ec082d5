import Foundation
import TestKit

/// Runs a line of shell on a machine in which umockdev plugs in devices, each with a simulated adapter.
///
/// - Parameters:
///   - line: the shell command; `$OBDGATE` stands for the program.
///   - devices: steps of `scripts/testbed/udev.py` without the simulated adapter.
///   - simulation: the simulated adapter of each device; `nil` if the steps define it.
///   - limit: time limit.
func play(
  _ line: String, pluggingIn devices: [String], behind simulation: Simulation? = Simulation(), in folder: String,
  limit: Duration = .seconds(120)
) throws -> Played {
  let wrapper = try Tool.required("umockdev-wrapper")
  try requireTestbed()
  let patience = "{\"patience\": \(limit.components.seconds)}"
  let plugs = devices.indices.map { number in
    let address = simulation == nil ? "" : "\"tcp\": \"@\(number)@\","
    return "{\"plug\": \"\(number)\", \(address) \(devices[number])}"
  }
  let steps = "[\(([patience] + plugs + ["{\"start\": true}"]).joined(separator: ",\n"))]"
  try steps.write(toFile: folder + "/steps.in", atomically: true, encoding: .utf8)
  let places = simulation == nil ? [] : Array(devices.indices)
  let addresses = places.map { "-e \"s|@\($0)@|$D\($0)|\"" }.joined(separator: " ")
  let bed = TestData.projectRoot + "/scripts/testbed/udev.py"
  let script = """
    sed -e '' \(addresses) steps.in >steps.json
    '\(wrapper)' /usr/bin/python3 '\(bed)' steps.json \(line)
    """
  var end = simulation
  end?.place = .tcp
  return try play(script, beside: devices.compactMap { _ in end }, in: folder, limit: limit)
}

private func requireTestbed() throws {
  let modules = "import gi; gi.require_version('UMockdev', '1.0'); from gi.repository import UMockdev"
  if try Tool.run("/usr/bin/python3", ["-c", modules]).status == 0 { return }
  try Tool.missing("gir1.2-umockdev-1.0 and python3-gi", remedy: "make test installs them")
}
