import OBDWire
import Testing

@testable import AdapterSession

@Suite struct AutobaudTests {
  private func serial(_ adapter: TinyAdapter, memory: SessionMemory = SessionMemory()) -> SessionBench {
    var configuration = SessionConfiguration()
    configuration.transport = .serial(baud: nil)
    return SessionBench(adapter, configuration, memory: memory)
  }

  @Test(arguments: [38400, 115_200, 9600, 230_400, 57600, 500_000, 1_000_000, 2_000_000])
  func every_baud_of_the_list_is_found(baud: Int) {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.baud = baud
    let bench = serial(adapter)
    bench.run(seconds: 20) { $0.isConnected }
    #expect(bench.isConnected)
    #expect(bench.bauds.last == baud)
    #expect(bench.session.memory.baud == baud)
  }

  @Test func the_baud_that_worked_before_is_tried_first() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.baud = 500_000
    var memory = SessionMemory()
    memory.baud = 500_000
    let bench = serial(adapter, memory: memory)
    bench.run(seconds: 3)
    #expect(bench.bauds == [500_000])
    #expect(bench.isConnected)
  }

  @Test(arguments: [57600, 9600]) func baud_rates_that_the_port_does_not_support_are_skipped(baud: Int) {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.baud = baud
    adapter.isDead = true
    let bench = serial(adapter)
    bench.highestBaud = 115_200
    bench.run(seconds: 60)
    #expect(bench.events == [.lost(.silent)])
    #expect(bench.bauds.contains(230_400) && bench.bauds.contains(2_000_000))
    adapter.isDead = false
    bench.run(seconds: 30) { $0.isConnected }
    #expect(bench.isConnected)
    #expect(bench.session.memory.baud == baud)
  }

  @Test func a_remembered_baud_rate_that_the_port_does_not_support_is_discarded() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.baud = 115_200
    var memory = SessionMemory()
    memory.baud = 500_000
    let bench = serial(adapter, memory: memory)
    bench.highestBaud = 115_200
    bench.run(seconds: 20) { $0.isConnected }
    #expect(bench.bauds == [500_000, 38400, 115_200])
    #expect(bench.session.memory.baud == 115_200)
  }

  @Test func a_silent_device_of_known_rate_is_probed_at_all_other_supported_rates() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.baud = 57600
    adapter.isDead = true
    var memory = SessionMemory()
    memory.baud = 38400
    let bench = serial(adapter, memory: memory)
    bench.highestBaud = 115_200
    bench.run(seconds: 120)
    adapter.isDead = false
    bench.run(seconds: 60) { $0.isConnected }
    #expect(bench.isConnected)
    #expect(bench.session.memory.baud == 57600)
  }

  @Test func a_silent_device_is_reported_once_and_probed_again() {
    let adapter = TinyAdapter([])
    adapter.isDead = true
    let bench = serial(adapter)
    bench.run(seconds: 120)
    #expect(bench.events == [.lost(.silent)])
    #expect(bench.reopenings >= 2)
    #expect(bench.bauds.count >= 16)
  }

  @Test func a_device_that_echoes_everything_is_not_an_adapter() {
    let adapter = TinyAdapter([])
    adapter.isLoopback = true
    let bench = serial(adapter)
    bench.run(seconds: 120)
    #expect(bench.events == [.lost(.noAdapter)])
    #expect(Set(bench.commands) == ["ATZ"])
  }

  @Test func a_GNSS_receiver_is_recognised_and_not_written_to() {
    let adapter = TinyAdapter([])
    adapter.isDead = true
    var configuration = SessionConfiguration()
    configuration.transport = .serial(baud: 9600)
    let bench = SessionBench(adapter, configuration)
    for i in 0..<20 {
      bench.inject(
        "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r\n",
        after: Int64(i) * SessionBench.second)
    }
    bench.reopens = false
    bench.run(seconds: 20)
    #expect(bench.events == [.lost(.gnssReceiver)])
    #expect(bench.reopenings == 1)
  }

  @Test func leftover_characters_in_the_adapter_require_a_second_ATZ() {
    let adapter = TinyAdapter([Cars.engine()])
    var isFirst = true
    adapter.hook = { command, _ in
      guard isFirst, command == "ATZ" else { return nil }
      isFirst = false
      return ("?\r\r>", 0)
    }
    let bench = SessionBench(adapter)
    bench.run(seconds: 4)
    #expect(bench.isConnected)
    #expect(bench.commands.prefix(3) == ["ATZ", "ATZ", "ATE0"])
  }

  @Test func a_silent_device_is_probed_again_one_second_after_each_attempt() {
    let adapter = TinyAdapter([])
    adapter.isDead = true
    let bench = SessionBench(adapter)
    bench.run(seconds: 200)
    let resets = bench.sent.filter { $0.text == "ATZ" }.map(\.at)
    let last = resets[resets.count - 1] - resets[resets.count - 2]
    // ATZ waits 4 s for its answer.
    #expect(last >= 5 * SessionBench.second && last <= 6 * SessionBench.second)
  }
}
