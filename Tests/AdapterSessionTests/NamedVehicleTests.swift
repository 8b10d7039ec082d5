import Testing

@testable import AdapterSession

/// A vehicle that reports no VIN, after one that did.
@Suite struct NamedVehicleTests {
  /// Creates a session that has read the VIN. Then the adapter is connected to the car that `change` returns.
  private func swapped(
    _ ecus: [TinyAdapter.ECU] = [Cars.engine()], _ change: (TinyAdapter) -> Void
  ) -> SessionBench {
    let bench = SessionBench(TinyAdapter(ecus))
    bench.run(seconds: 6)
    #expect(bench.session.memory.vinCount == 17)
    bench.close()
    change(bench.adapter)
    bench.run(seconds: 12)
    #expect(bench.isConnected && bench.session.hasIdentified)
    return bench
  }

  private func isOther(_ bench: SessionBench) -> Bool {
    let told = bench.events.count { $0 == .vehicleUnnamed }
    #expect(told <= 1 && !bench.events.contains(.vehicleChanged))
    #expect(bench.session.memory.vinCount == (told == 1 ? 0 : 17))
    return told == 1
  }

  @Test func an_ECU_that_reports_no_VIN_belongs_to_another_vehicle() {
    let bench = swapped { $0.ecus[0].information = [0x04: [1] + [UInt8](repeating: 0x41, count: 16)] }
    #expect(isOther(bench))
  }

  @Test func without_service_09_another_bus_is_another_vehicle() {
    let bench = swapped {
      $0.ecus[0].information = [:]
      $0.protocolNumber = "A8"
    }
    #expect(isOther(bench))
  }

  @Test func without_service_09_other_PIDs_at_the_same_address_are_another_vehicles() {
    let bench = swapped {
      $0.ecus[0].information = [:]
      $0.ecus[0].pids[0x0B] = nil
    }
    #expect(isOther(bench))
  }

  @Test func a_single_missing_VIN_answer_does_not_change_the_vehicle() {
    for silent in [["0902"], ["0900", "0902"], ["0902", "0120", "0140"]] {
      let bench = swapped {
        $0.hook = { command, _ in
          silent.contains { command.hasPrefix($0) } ? ("NO DATA\r\r>", 200 * SessionBench.millisecond) : nil
        }
      }
      #expect(!isOther(bench), "\(silent)")
    }
  }

  @Test func a_damaged_VIN_answer_does_not_change_the_vehicle() {
    let bench = swapped {
      $0.ecus[0].pids[0x0B] = nil
      $0.hook = { command, _ in
        command.hasPrefix("090") ? ("7E8064900<DATA ERROR\r\r>", 40 * SessionBench.millisecond) : nil
      }
    }
    #expect(!isOther(bench))
  }

  @Test func an_answer_of_the_gearbox_does_not_identify_the_vehicle() {
    var gearbox = Cars.gearbox()
    gearbox.information = [0x0A: [1] + [UInt8](repeating: 0x41, count: 20)]
    let bench = swapped([Cars.engine(), gearbox]) { adapter in
      adapter.hook = { command, _ in
        switch command.prefix(4) {
        case "0900": ("7E906490000400000\r\r>", 40 * SessionBench.millisecond)
        case "0902": ("NO DATA\r\r>", 200 * SessionBench.millisecond)
        default: nil
        }
      }
    }
    #expect(!isOther(bench))
  }

  @Test func a_VIN_from_an_earlier_session_is_not_assumed_for_this_vehicle() {
    let earlier = SessionBench(TinyAdapter([Cars.engine()]))
    earlier.run(seconds: 6)
    let adapter = TinyAdapter([Cars.engine()])
    adapter.ecus[0].information = [0x04: [1] + [UInt8](repeating: 0x41, count: 16)]
    let bench = SessionBench(adapter, memory: earlier.session.memory)
    bench.run(seconds: 6)
    #expect(isOther(bench))
  }

  @Test func a_VIN_after_a_vehicle_without_one_belongs_to_another_vehicle() {
    let bench = swapped { $0.ecus[0].information = [0x04: [1] + [UInt8](repeating: 0x41, count: 16)] }
    bench.close()
    bench.adapter.ecus[0] = Cars.engine()
    bench.run(seconds: 8)
    #expect(bench.events.suffix(while: { $0 != .vehicleUnnamed }).contains(.vehicleChanged))
    #expect(bench.session.memory.vinCount == 17)
  }
}

extension Array {
  /// Returns the elements after the last one that does not satisfy the condition.
  fileprivate func suffix(while condition: (Element) -> Bool) -> ArraySlice<Element> {
    let last = lastIndex { !condition($0) }
    return self[(last.map { $0 + 1 } ?? startIndex)...]
  }
}
