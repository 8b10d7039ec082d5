import OBDWire
import Testing

@testable import AdapterSession

/// Collects a plan's description.
private struct Lines: PlanWriter {
  var lines: [String] = []
  mutating func line(_ text: Span<UInt8>) {
    var bytes: [UInt8] = []
    for i in text.indices { bytes.append(text[i]) }
    lines.append(String(decoding: bytes, as: UTF8.self))
  }
}

@Suite struct PollPlanTests {
  private func car(_ ecus: [(UInt32, [UInt8])], isUDS: Bool = false) -> VehicleCapabilities {
    var car = VehicleCapabilities()
    car.isUDS = isUDS
    for (address, pids) in ecus {
      for base in stride(from: 0, through: 0xE0, by: 0x20) {
        guard let map = TinyAdapter.bitmap(Set(pids), base: UInt8(base)) else { continue }
        let bits = map.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let service: UInt8 = isUDS ? 0x22 : 0x01
        let identifier = (isUDS ? 0xF400 : 0) | UInt16(base)
        car.learn(SupportAnswer(ecu: .can11(address), service: service, base: identifier, bitmap: bits))
      }
    }
    return car
  }

  private func lines(
    _ car: VehicleCapabilities, _ preferences: PollPreferences = PollPreferences(), bus: BusProtocol = .can11,
    quirks: Quirks = [],
    addressed rows: [AddressedRequest] = []
  ) -> [String] {
    var plan = PollPlan()
    var table = AddressedTable()
    for row in rows { _ = table.append(row) }
    plan.make(for: car, preferences, table, bus: bus, quirks: quirks, at: 0)
    var lines = Lines()
    plan.describe(into: &lines)
    return lines.lines
  }

  @Test func pids_of_one_period_go_together_six_in_a_request() {
    var preferences = PollPreferences()
    preferences.set(0x0C, period: 100_000_000)
    preferences.set(0x0D, period: 100_000_000)
    let plan = lines(
      car([(0x7E8, [0x04, 0x05, 0x0B, 0x0C, 0x0D, 0x0E, 0x10, 0x11, 0x2F, 0x33, 0x42, 0x43])]), preferences)
    #expect(
      plan == [
        "010C0D every 100 ms, ECUs 01", "0104110B0E1042 every 1000 ms, ECUs 01", "0143 every 1000 ms, ECUs 01",
        "01052F33 every 5000 ms, ECUs 01",
      ])
  }

  @Test func the_same_input_makes_the_same_plan() {
    let known = car([(0x7E8, Array(1...0x60)), (0x7E9, [0x0C, 0x0D])])
    #expect(lines(known) == lines(known))
  }

  @Test func support_PIDs_and_PID_02_are_never_asked_with_data() {
    let plan = lines(car([(0x7E8, Array(1...0xC0))]))
    for line in plan {
      let hex = Array(line.prefix { $0 != " " })
      for i in stride(from: 2, to: hex.count, by: 2) {
        let pid = UInt8(String(hex[i...i + 1]), radix: 16)!
        #expect(pid & 0x1F != 0 && pid != 0x02)
      }
    }
  }

  @Test func a_PID_of_unknown_length_goes_alone_and_only_when_named() {
    let known = car([(0x7E8, [0x0C, 0x0D, 0x95])])
    #expect(lines(known) == ["010C0D every 1000 ms, ECUs 01"])
    var preferences = PollPreferences()
    preferences.set(0x95, period: 1_000_000_000, priority: 0)
    #expect(lines(known, preferences) == ["0195 every 1000 ms, ECUs 01", "010C0D every 1000 ms, ECUs 01"])
  }

  @Test(arguments: [BusProtocol.kwp, .iso9141, .j1850vpw, .j1850pwm])
  func legacy_buses_carry_one_PID(bus: BusProtocol) {
    #expect(
      lines(car([(0x7E8, [0x0C, 0x0D])]), bus: bus) == ["010C every 1000 ms, ECUs 01", "010D every 1000 ms, ECUs 01"])
  }

  @Test func obdonuds_asks_three_data_identifiers() {
    let plan = lines(car([(0x7E8, [0x04, 0x0C, 0x0D, 0x11])], isUDS: true))
    #expect(plan == ["22F40CF40DF404 every 1000 ms, ECUs 01", "22F411 every 1000 ms, ECUs 01"])
  }

  @Test func scalings_and_sensor_places_come_first() {
    var plan = PollPlan()
    let table = AddressedTable()
    plan.make(
      for: car([(0x7E8, [0x0C, 0x13, 0x24, 0x4F])]), PollPreferences(), table, bus: .can11, quirks: [],
      at: 1_000_000_000)
    guard case .request(let first) = plan.choose(at: 1_000_000_000, .functional, table) else {
      Issue.record("nothing is due")
      return
    }
    #expect(plan.requests[first].request.place(of: 0x4F) != nil)
    #expect(plan.requests[first].request.place(of: 0x13) != nil)
  }

  @Test func addressed_requests_of_another_bus_are_left_out() {
    let rows = [
      AddressedRequest(
        question: .dataIdentifier(0x404C), header: .can11(0x720), receiver: .can11(0x728), period: 30_000_000_000),
      AddressedRequest(question: .localIdentifier(0x01), header: .can29(0x18DA_10F1), period: 1_000_000_000),
    ]
    #expect(lines(car([]), addressed: rows) == ["22404C every 30000 ms, addressed"])
  }

  @Test func under_overload_the_shorter_period_goes_more_often_and_no_request_starves() {
    var plan = PollPlan()
    let table = AddressedTable()
    var preferences = PollPreferences()
    preferences.set(0x0C, period: 0)
    preferences.set(0x05, period: 1_000_000_000)
    preferences.set(0x2F, period: 10_000_000_000)
    plan.make(for: car([(0x7E8, [0x05, 0x0C, 0x2F])]), preferences, table, bus: .can11, quirks: [], at: 0)
    var counts: [UInt16: Int] = [:]
    for step in 0..<1000 {
      // A request takes 100 ms, so the link is always full.
      let now = Int64(step) * 100_000_000
      guard case .request(let index) = plan.choose(at: now, .functional, table) else { continue }
      _ = plan.send(index, at: now)
      counts[plan.requests[index].request.identifier(at: 0), default: 0] += 1
    }
    #expect(counts[0x0C]! > 800)
    #expect(counts[0x05]! >= 60 && counts[0x05]! <= 101)
    #expect(counts[0x2F]! >= 6 && counts[0x2F]! <= 11)
  }

  @Test func nothing_is_asked_before_it_is_due() {
    var plan = PollPlan()
    let table = AddressedTable()
    plan.make(for: car([(0x7E8, [0x0C])]), PollPreferences(), table, bus: .can11, quirks: [], at: 0)
    #expect(plan.choose(at: 0, .functional, table) == .request(0))
    _ = plan.send(0, at: 0)
    #expect(plan.choose(at: 1, .functional, table) == .nothing(until: 1_000_000_000))
  }
}
