import TestKit
import Testing

/// The script that checks, in `make system-test`, which records the fleet store must have after a power cut.
@Suite struct LedgerTests {
  @Test func the_ledger_check_finds_each_kind_of_fault_and_no_false_ones() throws {
    let python = try Tool.required("python3")
    let checked = try Tool.run(python, ["-B", TestData.projectRoot + "/scripts/system-test/check_ledger.py"])
    #expect(checked.status == 0, "\(checked.errors)")
  }
}
