import Testing

@testable import Telemetry

@Suite struct PrometheusTextTests {
  @Test func a_metric_has_its_help_its_type_and_its_samples() {
    var text = PrometheusText()
    text.family("a_total", .counter, "Things.")
    text.sample(count: 3)
    text.family("b", .gauge, "Others.")
    text.sample(0.25, [("x", "1"), ("y", "2")])
    text.sample(2)
    let expected = """
      # HELP a_total Things.
      # TYPE a_total counter
      a_total 3
      # HELP b Others.
      # TYPE b gauge
      b{x="1",y="2"} 0.25
      b 2

      """
    #expect(String(decoding: text.bytes, as: UTF8.self) == expected)
  }

  @Test func labels_are_escaped() {
    var text = PrometheusText()
    text.family("b", .gauge, "Things.")
    text.sample(count: 1, [("x", "a\"b\\c\nd")])
    #expect(String(decoding: text.bytes, as: UTF8.self).hasSuffix("\nb{x=\"a\\\"b\\\\c\\nd\"} 1\n"))
  }
}
