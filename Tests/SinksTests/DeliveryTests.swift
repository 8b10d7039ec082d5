import Testing

@testable import Sinks

@Suite struct DeliveryTests {
  @Test func neighbours_become_one_range() {
    var delivery = Delivery()
    delivery.acknowledge(0..<3)
    delivery.acknowledge(3..<4)
    delivery.acknowledge(6..<6)
    delivery.acknowledge(7..<9)
    #expect(delivery.acknowledged == [0..<4, 7..<9])
  }

  @Test func acknowledgements_out_of_order_are_merged() {
    var delivery = Delivery()
    delivery.acknowledge(8..<9)
    delivery.acknowledge(0..<2)
    delivery.acknowledge(4..<5)
    #expect(delivery.acknowledged == [0..<2, 4..<5, 8..<9])
    delivery.acknowledge(5..<8)
    #expect(delivery.acknowledged == [0..<2, 4..<9])
    delivery.acknowledge(2..<4)
    #expect(delivery.acknowledged == [0..<9])
  }
}
