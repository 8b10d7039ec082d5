import TestKit
import Testing

/// What `obdgate doctor` finds.
func doctor(_ arguments: [String]) throws -> [JSON] {
  let result = try obdgate(["doctor", "--json"] + arguments)
  let findings = try JSON.lines(result.output)
  #expect(findings.allSatisfy { $0.holdsNoNull })
  let isWell = !findings.contains { $0["verdict"] == "problem" }
  #expect(result.status == (isWell ? 0 : 1))
  #expect(result.errors.isEmpty, "\(result.errors)")
  return findings
}
