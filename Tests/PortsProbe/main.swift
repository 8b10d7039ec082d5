// The rooms of discovery from outside, for tests that give the program a machine of its own: devices that do not exist,
// a bus with a stand-in for BlueZ.
//
//   PortsProbe devices            the serial devices that are there, one a line
//   PortsProbe watch COUNT        those, `ready`, then changes as they happen, until there were so many
//   PortsProbe ask WHERE COMMAND  opens a line, prints what the device answers up to its prompt, waits until it is gone
//   PortsProbe exchange WHERE COMMAND COUNT   sends a command so many times, each time once the prompt has come
//   PortsProbe rounds COUNT       so many exchanges with an adapter in the same thread, for counting allocations
//   PortsProbe bluetooth          the devices that BlueZ knows
//   PortsProbe inquire SECONDS    those, after an inquiry of that length

import Glibc
import Ports

let arguments = Array(CommandLine.arguments.dropFirst())
do {
  switch arguments.first {
  case "devices": try Probe.devices()
  case "watch": try Probe.watch(count: arguments.dropFirst().first.flatMap { Int($0) } ?? 1)
  case "ask" where arguments.count == 3: try Probe.query(arguments[1], arguments[2])
  case "exchange" where arguments.count == 4: try Probe.exchange(arguments[1], arguments[2], Int(arguments[3]) ?? 1)
  case "rounds": try PortRounds.run(arguments.dropFirst().first.flatMap { Int($0) } ?? 1)
  case "bluetooth": try Probe.bluetooth(inquiring: nil)
  case "inquire": try Probe.bluetooth(inquiring: .seconds(arguments.dropFirst().first.flatMap { Int($0) } ?? 1))
  default:
    let line = "ask WHERE COMMAND | exchange WHERE COMMAND COUNT | rounds COUNT"
    printLine("usage: PortsProbe devices | watch COUNT | \(line) | bluetooth | inquire SECONDS")
    exit(64)
  }
} catch {
  printLine("error \(error)")
  exit(1)
}
