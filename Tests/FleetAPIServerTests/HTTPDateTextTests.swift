import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

@Suite struct HTTPDateTextTests {
  /// The first one is the example of RFC 9110, section 5.6.7. The others come from `date -u -d @SECONDS`.
  @Test(arguments: [
    (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"), (4_102_444_800, "Fri, 01 Jan 2100 00:00:00 GMT"),
  ])
  func time_is_written_as_the_standard_says(_ seconds: Int64, _ text: String) {
    #expect(Timestamp(nanoseconds: seconds * 1_000_000_000 + 999_999_999).httpDate == text)
  }

  /// A browser compares its clock with this time.
  @Test func each_answer_has_the_time_of_the_server() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        for path in ["/api/health", "/api/vehicles", "/api/nothing"] {
          let date = try #require(try server.client().send("GET", path).headers["date"])
          let format = DateFormatter()
          (format.locale, format.dateFormat) = (Locale(identifier: "en_US_POSIX"), "EEE, dd MMM yyyy HH:mm:ss zzz")
          let time = try #require(format.date(from: date))
          #expect(abs(time.timeIntervalSinceNow) < 60)
        }
      }
    }
  }
}
