import OBDWire
import Testing

struct ECUAddressTests {
  @Test func an_ecu_address_keeps_its_kind_and_value() {
    let all: [(ECUAddress, ECUAddress.Kind, UInt32, Int)] = [
      (.unknown, .unknown, 0, 0), (.legacy(0x10), .legacy, 0x10, 2), (.can11(0x7E8), .can11, 0x7E8, 3),
      (.can29(0x18DA_F110), .can29, 0x18DA_F110, 8),
    ]
    for (address, kind, value, digits) in all {
      #expect(address.kind == kind && address.value == value && address.digitCount == digits)
    }
  }

  @Test func same_number_on_another_bus_is_another_sender() {
    #expect(ECUAddress.legacy(0x10) != .can11(0x10))
    #expect(ECUAddress.can11(0) != .unknown)
  }

  @Test func bits_that_an_identifier_cannot_have_are_cut() {
    #expect(ECUAddress.can11(0xFFFF).value == 0x7FF)
    #expect(ECUAddress.can29(.max).value == 0x1FFF_FFFF)
  }
}
