import Ports
import Testing

@testable import Gateway

@Suite struct PairingNeedsTests {
  private static let device = BluetoothAddress("AA:BB:CC:00:00:01")!
  private static let classic = PortAddress.rfcomm(device, channel: nil)
  private static let lowEnergy = PortAddress.ble(device)

  private static func adapters(_ text: String) throws -> [GatewayConfiguration.Adapter] {
    try GatewayConfiguration(parsing: Array(#"{"adapters":[{\#(text)}]}"#.utf8), file: "gateway.json").adapters
  }

  @Test func a_classic_bluetooth_adapter_is_paired_until_its_link_opens() throws {
    let adapters = try Self.adapters(#""rfcomm":"AA:BB:CC:00:00:01""#)
    var needs = PairingNeeds()
    #expect(needs.requests(adapters).map(\.port) == [Self.classic])
    // A first rejection changes nothing.
    let changes = [true, false, false].map { needs.update(Self.classic, wantsKey: $0) }
    #expect(changes == [false, true, false])
    #expect(needs.requests(adapters) == [])
  }

  @Test func an_adapter_that_now_requires_a_key_is_paired() throws {
    let adapters = try Self.adapters(#""rfcomm":"AA:BB:CC:00:00:01""#)
    var needs = PairingNeeds()
    _ = needs.update(Self.classic, wantsKey: false)
    let changes = needs.update(Self.classic, wantsKey: true)
    #expect(changes && needs.requests(adapters).map(\.port) == [Self.classic])
  }

  @Test func a_bluetooth_le_adapter_is_paired_once_it_requires_a_key() throws {
    let adapters = try Self.adapters(#""ble":"AA:BB:CC:00:00:01""#)
    var needs = PairingNeeds()
    #expect(needs.requests(adapters) == [])
    // An adapter that needs a key may open, and reject the key only when it is written to.
    let changes = [false, true, false, true].map { needs.update(Self.lowEnergy, wantsKey: $0) }
    #expect(changes == [false, true, false, false])
    #expect(needs.requests(adapters).map(\.port) == [Self.lowEnergy])
  }

  @Test(arguments: ["rfcomm", "ble"])
  func an_adapter_with_a_configured_pin_is_always_paired(_ kind: String) throws {
    let adapters = try Self.adapters(#""\#(kind)":"AA:BB:CC:00:00:01","pin":"1""#)
    var needs = PairingNeeds()
    for port in [Self.classic, Self.lowEnergy] { _ = needs.update(port, wantsKey: false) }
    #expect(needs.requests(adapters).map(\.pin) == ["1"])
  }

  @Test func devices_without_bluetooth_are_not_paired() throws {
    var needs = PairingNeeds()
    let changes = needs.update(.serial(path: "/dev/ttyUSB0", baud: nil), wantsKey: false)
    #expect(!changes)
    #expect(needs.requests(try Self.adapters(#""device":"/dev/ttyUSB0""#)) == [])
  }
}
