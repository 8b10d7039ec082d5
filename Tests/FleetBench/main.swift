import FleetDomain
import FleetStorage
import Glibc
import Telemetry

// Figures of the fleet's storage. In release:
//
//   FleetBench parse
//   FleetBench sqlite:PATH | postgresql://…  [MILLIONS]
//   FleetBench ask sqlite:PATH | postgresql://…
//   FleetBench remove sqlite:PATH | postgresql://…  [MILLIONS]
//   FleetBench wait sqlite:PATH | postgresql://…  [KIND]
//   FleetBench fleet sqlite:PATH | postgresql://…  [VEHICLES]
//
// The database must be empty. It is filled with MILLIONS of records (1 by default) of 50 vehicles in batches of 100 from
// 16 callers, one more vehicle gets a day at 1 Hz, and that is asked for in 500 points; with `ask` that is asked for once
// more, of a database that has been filled so. With `remove` one vehicle gets them all and is removed while another one's
// records come in. With `wait` one tenant sends batches that cost much, of one KIND or of each, and the batches of another
// tenant are timed. With `fleet`, 10,000 vehicles (or VEHICLES) get schedules and readings, and their lists, positions and
// reports are timed.

var arguments = CommandLine.arguments
var asked: String?
if arguments.count > 1, ["ask", "remove", "wait", "fleet"].contains(arguments[1]) { asked = arguments.remove(at: 1) }
guard arguments.count > 1 else {
  print(
    "usage: FleetBench parse | [ask | remove | wait | fleet] sqlite:PATH | postgresql://… [MILLIONS | KIND | VEHICLES]")
  exit(64)
}
if arguments[1] == "parse" {
  Bench.parse()
} else {
  let storage: StoredFleet
  if arguments[1].hasPrefix("sqlite:") {
    storage = try StoredFleet(sqlite: String(arguments[1].dropFirst(7)))
  } else {
    storage = try await StoredFleet(postgreSQL: arguments[1])
  }
  let millions = arguments.count > 2 ? Int(arguments[2]) ?? 1 : 1
  switch asked {
  case "ask": try await Bench.measureQueries(storage)
  case "wait":
    let kind = arguments.count > 2 ? CostlyBatches(rawValue: arguments[2]) : nil
    try await Bench.wait(storage, kind.map { [$0] } ?? CostlyBatches.allCases)
  case "fleet": try await Bench.fleet(storage, vehicles: arguments.count > 2 ? Int(arguments[2]) ?? 10_000 : 10_000)
  case "remove": try await Bench.remove(storage, millions: millions)
  default: try await Bench.store(storage, millions: millions)
  }
  await storage.close()
}
