import Testing

@testable import Sinks

@Suite struct FailureReportTests {
  private func error(_ detail: String, at place: String = "a") -> SinkError { SinkError(.unreachable, place, detail) }

  @Test func the_same_failure_is_reported_once_ignoring_numbers() {
    var report = FailureReport()
    #expect(report.failed(error("cannot connect to port 80 after 3 ms")) != nil)
    #expect(report.failed(error("cannot connect to port 80 after 5001 ms")) == nil)
    #expect(report.failed(error("reset after 5 ms")) != nil)
    #expect(report.failed(error("reset after 5 ms", at: "b")) != nil)
  }

  @Test func a_failure_is_reported_again_after_a_success() {
    var report = FailureReport()
    _ = report.failed(error("x"))
    let hadFailed = report.succeeded()
    #expect(hadFailed)
    #expect(report.failed(error("x")) != nil)
  }
}
