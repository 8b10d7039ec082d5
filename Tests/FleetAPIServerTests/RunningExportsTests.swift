import FleetDomain
import Testing

@testable import FleetAPI

@Suite struct RunningExportsTests {
  @Test func the_release_of_a_finished_export_does_not_end_the_next_one() throws {
    let exports = RunningExports()
    var first = exports.begin(.standard)
    #expect(exports.begin(.standard) == nil)
    first?.end()
    let second = try #require(exports.begin(.standard))
    first = nil
    #expect(exports.begin(.standard) == nil, "two exports of one tenant at once")
    second.end()
    #expect(exports.begin(.standard) != nil)
  }

  @Test func an_answer_that_is_never_sent_ends_its_export() {
    let exports = RunningExports()
    _ = exports.begin(.standard)
    #expect(exports.begin(.standard) != nil)
  }
}
