import FleetDomain
import FleetStorage
import Glibc
import Telemetry

// Figures of the fleet's storage. In release:
//
//   FleetBench parse
//   FleetBench sqlite:PATH | postgresql://…  [MILLIONS]
//
// The database must be empty. It is filled with MILLIONS of records (1 by default) of 50 vehicles in batches of 100 from
// 16 callers, one more vehicle gets a day at 1 Hz, and that is asked for in 500 points.

let arguments = CommandLine.arguments
guard arguments.count > 1 else {
  print("usage: FleetBench parse | sqlite:PATH | postgresql://… [MILLIONS]")
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
  try await Bench.store(storage, millions: arguments.count > 2 ? Int(arguments[2]) ?? 1 : 1)
  await storage.close()
}
