import Synchronization
import TestKit
import Testing

/// Returns the findings of `obdgate doctor`.
///
/// - Parameter hangs: whether one of its peers never answers.
func doctor(_ arguments: [String], hangs: Bool = false) throws -> [PrintedJSON] {
  func look() throws -> Tool.Result { try obdgate(["doctor", "--json"] + arguments) }
  let result = hangs ? try look() : try punctual(look)
  let findings = try PrintedJSON.lines(result.output)
  #expect(findings.allSatisfy { $0.holdsNoNull })
  let isWell = !findings.contains { $0["verdict"] == "problem" }
  #expect(result.status == (isWell ? 0 : 1))
  #expect(result.errors.isEmpty, "\(result.errors)")
  return findings
}

/// Runs `obdgate doctor` until no check reaches a time limit. A check waits for five seconds, BlueZ for two. On a busy
/// machine even a working peer may not answer in time, so the run is repeated.
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

/// Runs work while no other test starts ModemManager or brltty, because the check finds these programs anywhere on the
/// machine.
func amongNoOtherRivals<Value: Sendable>(_ work: () throws -> Value) throws -> Value {
  try rivals.withLock { _ in try work() }
}
