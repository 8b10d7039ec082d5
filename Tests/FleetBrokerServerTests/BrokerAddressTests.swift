import FleetBroker
import Testing

@Suite struct BrokerAddressTests {
  @Test func parts_are_found_and_ports_follow_the_scheme() throws {
    let secure = try #require(BrokerAddress("amqps://fleet@mq1.example/depot"))
    #expect(secure.language == .amqp && secure.usesTLS && secure.port == 5_671)
    #expect(secure.user == "fleet" && secure.virtualHost == "depot" && secure.host == "mq1.example")
    #expect(secure.description == "amqps://mq1.example:5671")
    #expect(BrokerAddress("amqp://a%40b@[::1]:1")?.user == "a@b")
    #expect(BrokerAddress("amqp://u@h")?.virtualHost == "/")
    #expect(BrokerAddress("amqp://u@h/%2F")?.virtualHost == "/")
    let plain = try #require(BrokerAddress("mqtt://127.0.0.1"))
    #expect(plain.language == .mqtt && !plain.usesTLS && plain.port == 1_883 && plain.user == nil)
  }

  @Test func an_address_of_this_machine_without_a_user_means_guest() {
    for text in ["amqp://127.0.0.1", "amqp://127.8.0.9:1/depot", "amqp://localhost", "amqps://[::1]:5671"] {
      let address = BrokerAddress(text)
      #expect(address?.user == "guest" && address?.isGuest == true, "\(text)")
    }
    for text in ["amqp://guest@127.0.0.1", "mqtt://127.0.0.1"] { #expect(BrokerAddress(text)?.isGuest == false) }
    for text in ["amqp://127.0.0.1.example", "amqp://127.example.0.1", "amqp://128.0.0.1", "amqp://[::2]"] {
      #expect(BrokerAddress(text) == nil, "\(text)")
    }
  }

  @Test(arguments: [
    "", "amqp://", "http://u@h", "amqp://h", "amqp://u:secret@h", "mqtt://u:secret@h", "mqtt://h/path", "amqp://@h",
    "amqp://u%zz@h", "amqp://u@h:0",
  ]) func text_that_is_not_a_broker_address_is_rejected(_ text: String) {
    #expect(BrokerAddress(text) == nil)
  }
}
