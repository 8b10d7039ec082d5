import Testing

@testable import Sinks

@Suite struct BrokerVersionTests {
  @Test func an_older_broker_is_used_with_mqtt_3_1_1_at_once() {
    for reason in [1, 132] {
      var version = BrokerVersion()
      #expect(version.refused(reason) == true)
      #expect(version.level == 4)
      #expect(version.refused(reason) == false)
    }
  }

  @Test func refusals_for_other_reasons_do_not_change_the_MQTT_version() {
    var version = BrokerVersion()
    #expect(version.refused(135) == false)
    #expect(version.level == 5)
  }

  @Test func both_mqtt_versions_are_tried_alternately_until_one_works() {
    var version = BrokerVersion()
    version.closedWithoutAnswer()
    #expect(version.level == 4)
    version.closedWithoutAnswer()
    #expect(version.level == 5)
    version.accepted()
    version.closedWithoutAnswer()
    #expect(version.level == 5)
  }
}
