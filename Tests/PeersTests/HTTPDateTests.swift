import Peers
import Testing

@Suite struct HTTPDateTests {
  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ]) func all_http_date_formats_are_equivalent(_ text: String) {
    #expect(HTTPDate.seconds(text) == 784_111_777)
  }

  @Test func a_two_digit_year_is_in_this_century() {
    #expect(HTTPDate.seconds("Saturday, 21-Nov-26 00:00:00 GMT") == 1_795_219_200)
  }

  @Test func leap_days_count() {
    #expect(HTTPDate.seconds("Thu, 29 Feb 2024 00:00:00 GMT") == 1_709_164_800)
    #expect(HTTPDate.seconds("Fri, 01 Mar 2024 00:00:00 GMT") == 1_709_251_200)
  }

  @Test(arguments: [
    "", "soon", "120", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 32 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 25:49:37 GMT",
  ])
  func text_that_is_not_an_http_date_is_rejected(_ text: String) {
    #expect(HTTPDate.seconds(text) == nil)
  }

  @Test func a_server_asks_for_seconds_or_until_a_date_by_its_own_clock() {
    let second: Int64 = 1_000_000_000
    #expect(RetryAfter.nanoseconds("120", date: "") == 120 * second)
    #expect(
      RetryAfter.nanoseconds("Sun, 06 Nov 1994 08:50:37 GMT", date: "Sun, 06 Nov 1994 08:49:37 GMT") == 60 * second)
    #expect(RetryAfter.nanoseconds("Sun, 06 Nov 1994 08:40:00 GMT", date: "Sun, 06 Nov 1994 08:49:37 GMT") == 0)
    #expect(RetryAfter.nanoseconds("Sun, 06 Nov 1994 08:50:37 GMT", date: "") == nil)
    #expect(RetryAfter.nanoseconds("-5", date: "") == nil)
    #expect(RetryAfter.nanoseconds("9223372036854775807", date: "") == .max)
    // Inputs that must not crash a daemon.
    let now = "Sun, 06 Nov 1994 08:49:37 GMT"
    #expect(RetryAfter.nanoseconds("Fri, 31 Dec 9999 23:59:59 GMT", date: now) == .max)
    #expect(RetryAfter.nanoseconds("Fri, 31 Dec 9223372036854775807 23:59:59 GMT", date: now) == nil)
  }
}
