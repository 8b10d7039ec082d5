import FleetDomain
import Telemetry
import Testing

@Suite struct RecordBodyTimeTests {
  private static let time = Timestamp(nanoseconds: 1_795_219_200_123_456_789)

  private func replaced(_ text: String) throws -> String {
    String(
      decoding: try RecordBodyTime.replacing(in: Array(text.utf8), time: Self.time, quality: .gps), as: UTF8.self)
  }

  @Test func time_and_quality_are_replaced_and_nothing_else() throws {
    let text = RecordText.record(["timeQuality": #""system""#], #""note":"\"timestamp\":\"x\"","rpm":1.50"#)
    let expected = RecordText.record(
      ["timestamp": #""2026-11-21T00:00:00.123Z""#], #""note":"\"timestamp\":\"x\"","rpm":1.50"#)
    #expect(try replaced(text) == expected)
  }

  @Test func time_members_are_found_at_any_place_with_any_white_space() throws {
    let text = #"{ "timeQuality" : "ntp" ,"a":{"timestamp":"no"},"timestamp":"2024-12-18T08:41:06+01:00"}"#
    let expected = #"{ "timeQuality" : "gps" ,"a":{"timestamp":"no"},"timestamp":"2026-11-21T00:00:00.123Z"}"#
    #expect(try replaced(text) == expected)
  }

  @Test func a_time_that_was_not_there_stands_before_its_quality() throws {
    #expect(
      try replaced(#"{"elapsed":1.5, "timeQuality":"unset","a":"ä"}"#)
        == #"{"elapsed":1.5, "timestamp":"2026-11-21T00:00:00.123Z","timeQuality":"gps","a":"ä"}"#)
  }
}
