import OBDWire
import Testing

@testable import AdapterSession

@Suite struct AddressedRequestTests {
  private func ecu() -> TinyAdapter.ECU {
    var ecu = TinyAdapter.ECU(address: "728", pids: [:])
    ecu.identifiers = [0x404C: [0x01, 0xE2, 0x40], 0x4001: [0x05]]
    return ecu
  }

  private func row(_ identifier: UInt16, flowControl: Bool = false, period: Int64 = SessionBench.second)
    -> AddressedRequest
  {
    AddressedRequest(
      question: .dataIdentifier(identifier), header: .can11(0x720), receiver: .can11(0x728),
      needsFlowControl: flowControl, period: period)
  }

  private func bench(_ adapter: TinyAdapter, _ rows: [AddressedRequest]) -> SessionBench {
    let bench = SessionBench(adapter, preferences: Cars.six)
    for row in rows { bench.add(row) }
    return bench
  }

  @Test func requests_of_one_header_go_together_and_7DF_is_restored() {
    let bench = bench(TinyAdapter([Cars.engine(), ecu()]), [row(0x404C), row(0x4001)])
    bench.run(seconds: 10)
    let commands = bench.commands
    let first = commands.firstIndex(of: "ATSH720")!
    #expect(Array(commands[first..<first + 6]) == ["ATSH720", "ATCRA728", "22404C", "224001", "ATSH7DF", "ATAR"])
    #expect(commands.filter { $0 == "22404C" }.count >= 4)
    #expect(commands.filter { $0 == "ATSH720" }.count == commands.filter { $0 == "22404C" }.count)
    // No other request is sent while the header is changed.
    var isAddressed = false
    for command in commands {
      if command == "ATSH720" { isAddressed = true }
      if command == "ATSH7DF" { isAddressed = false }
      if command.hasPrefix("01") || command.hasPrefix("09") || command == "03" { #expect(!isAddressed, "\(command)") }
      if command.hasPrefix("22") { #expect(isAddressed) }
    }
    #expect(bench.adapter.interruptions == 0)
  }

  @Test func flow_control_and_extended_address_are_set_and_taken_back() {
    var request = row(0x404C, flowControl: true)
    request.extendedAddress = 0x2A
    let bench = bench(TinyAdapter([Cars.engine(), ecu()]), [request])
    bench.run(seconds: 8)
    let commands = bench.commands
    let first = commands.firstIndex(of: "ATSH720")!
    #expect(
      Array(commands[first..<first + 11]) == [
        "ATSH720", "ATCRA728", "ATCEA2A", "ATFCSH720", "ATFCSD300000", "ATFCSM1", "22404C", "ATSH7DF", "ATAR", "ATCEA",
        "ATFCSM0",
      ])
  }

  @Test func a_header_of_29_bits_sets_its_priority_too() {
    var other = Cars.engine("18DAF110")
    other.identifiers = [0x404C: [1, 2, 3]]
    let adapter = TinyAdapter([other])
    adapter.protocolNumber = "A7"
    let request = AddressedRequest(
      question: .dataIdentifier(0x404C), header: .can29(0x18DA_10F1), receiver: .can29(0x18DA_F110),
      period: SessionBench.second)
    let bench = bench(adapter, [request])
    bench.run(seconds: 8)
    let commands = bench.commands
    let first = commands.firstIndex(of: "ATCP18")!
    #expect(
      Array(commands[first..<first + 7]) == [
        "ATCP18", "ATSHDA10F1", "ATCRA18DAF110", "22404C", "ATCP18", "ATSHDB33F1", "ATAR",
      ])
  }

  @Test func an_adapter_without_addressing_is_reported_and_other_requests_are_polled() {
    let adapter = TinyAdapter([Cars.engine(), ecu()])
    adapter.unknown = ["ATCRA*"]
    let bench = bench(adapter, [row(0x404C)])
    bench.run(seconds: 10)
    #expect(bench.events.contains(.quirk(.noAddressing)))
    #expect(!bench.requests.contains("22404C"))
    #expect(bench.recorder.values.count { $0.identifier == 0x0C } > 100)
    #expect(bench.adapter.header == "7DF")
  }

  @Test func a_silent_ECU_of_a_signal_set_is_polled_less_often_without_a_loss() {
    let bench = bench(TinyAdapter([Cars.engine()]), [row(0x404C)])
    bench.run(seconds: 60)
    #expect(bench.isConnected)
    #expect(!bench.events.contains { if case .lost = $0 { true } else { false } })
    let asked = bench.requests.count { $0 == "22404C" }
    #expect(asked >= 4 && asked <= 8)
  }

  @Test func a_full_request_table_is_reported() {
    let bench = SessionBench(TinyAdapter([]))
    for i in 0..<128 { #expect(bench.add(row(UInt16(i)))) }
    #expect(!bench.add(row(0x4444)))
  }
}
