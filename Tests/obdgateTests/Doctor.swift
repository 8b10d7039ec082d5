import Synchronization
import TestKit
import Testing

/// What `obdgate doctor` finds.
///
/// - Parameter hangs: somebody whom it asks never answers.
func doctor(_ arguments: [String], hangs: Bool = false) throws -> [JSON] {
  func look() throws -> Tool.Result { try obdgate(["doctor", "--json"] + arguments) }
  let result = hangs ? try look() : try punctual(look)
  let findings = try JSON.lines(result.output)
  #expect(findings.allSatisfy { $0.holdsNoNull })
  let isWell = !findings.contains { $0["verdict"] == "problem" }
  #expect(result.status == (isWell ? 0 : 1))
  #expect(result.errors.isEmpty, "\(result.errors)")
  return findings
}

/// A run for which nobody was late. Five seconds are waited for a check of the doctor's, two for BlueZ: on a machine
/// that has much else to do those who are well may not have answered by then, and are asked again.
func punctual(_ look: () throws -> Tool.Result) throws -> Tool.Result {
  let excuses = [
    "no result within", "does not answer", "no answer from", "no complete answer in time", "timed out", "imeout",
  ]
  var result = try look()
  for _ in 0..<12 where excuses.contains(where: { (result.output + result.errors).contains($0) }) {
    result = try look()
  }
  return result
}

private let rivals = Mutex(())

/// ModemManager and brltty are found wherever they run on this machine: whoever starts them, and whoever compares what
/// two looks find, does it while no other test does.
func amongNoOtherRivals<Value: Sendable>(_ work: () throws -> Value) throws -> Value {
  try rivals.withLock { _ in try work() }
}
