import Peers
import Testing

@Suite struct TopicLevelTests {
  @Test func a_vehicle_id_cannot_be_a_wildcard_or_several_topic_levels() {
    #expect(TopicLevel.text(of: Array("a/b+c#d e\u{1}".utf8)) == "a_b_c_d_e_")
    #expect(TopicLevel.text(of: Array("VAN-001.b".utf8)) == "VAN-001.b")
    #expect(TopicLevel.text(of: []) == "unknown")
  }

  @Test func an_id_is_its_own_level_where_nothing_of_it_is_replaced() {
    for id in ["VAN-001.b", "unknown", "a_b"] { #expect(TopicLevel.isLevel(id.utf8)) }
    for id in ["", "a b", "a/b", "a+b", "ä", String(repeating: "a", count: 129)] {
      #expect(!TopicLevel.isLevel(id.utf8))
    }
  }
}
