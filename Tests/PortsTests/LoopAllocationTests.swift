import TestKit
import Testing

/// The read loop takes nothing from the heap once it runs.
@Suite struct LoopAllocationTests {
  @Test func ten_thousand_more_exchanges_allocate_nothing() throws {
    let probe = try ProbeProgram.path
    let few = try MeasuredRun.of(probe, ["rounds", "100"])
    let many = try MeasuredRun.of(probe, ["rounds", "10100"])
    #expect(few.result.output == "100 replies\n", "\(few.result.errors)")
    #expect(many.result.output == "10100 replies\n")
    #expect(many.allocations - few.allocations < 10, "\(few.allocations) → \(many.allocations)")
  }
}
