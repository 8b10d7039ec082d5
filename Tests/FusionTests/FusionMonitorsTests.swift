import Fusion
import OBDWire
import Telemetry
import Testing

@Suite struct FusionMonitorsTests {
  /// Passes the readings of PID 01 or 41 that the decoder makes from four data bytes.
  private func read(_ bytes: UInt32, pid: UInt16, at seconds: Double, in session: inout Session) {
    for row in SAESignals.rows(service: 1, identifier: pid) {
      let definition = saeSignals.span[row].definition
      func bit(_ place: UInt8) -> Bool { bytes >> (31 - UInt32(place)) & 1 == 1 }
      if definition.supportBit != SignalDefinition.noBit, !bit(definition.supportBit) { continue }
      if definition.variantBit != SignalDefinition.noBit, bit(definition.variantBit) != definition.variantValue {
        continue
      }
      let shift = 32 - UInt32(definition.bitOffset) - UInt32(definition.bitLength)
      let raw = bytes >> shift & (1 << UInt32(definition.bitLength) - 1)
      session.read(
        saeSignals.span[row].name.description, Double(raw) * definition.factor + definition.offset, at: seconds)
    }
  }

  @Test func a_petrol_car_says_which_monitors_have_run() throws {
    var session = Session()
    // MIL off; misfire, fuel system and components supported and ready; catalyst and EVAP supported, EVAP not ready.
    read(0x0007_2505, pid: 0x01, at: 0, in: &session)
    let record = try #require(try session.finish(at: 1).of("monitors").first)
    #expect(
      record.body
        == #""ecu":"7E8","ignition":"spark","scope":"sinceClear","#
        + #""complete":["misfire","fuelSystem","comprehensiveComponent","oxygenSensor"],"incomplete":["catalyst","evaporativeSystem"]"#
    )
  }

  @Test func a_diesel_has_other_monitors() throws {
    var session = Session()
    read(0x000E_EB08, pid: 0x01, at: 0, in: &session)
    let record = try #require(try session.finish(at: 1).of("monitors").first)
    #expect(record.text("ignition") == "compression")
    #expect(record.texts("complete")?.contains("nmhcCatalyst") == true)
    #expect(record.texts("incomplete") == ["boostPressureSystem"])
  }

  @Test func monitors_come_again_only_when_they_change() throws {
    var session = Session()
    read(0x0007_2505, pid: 0x01, at: 0, in: &session)
    read(0x0007_2505, pid: 0x01, at: 10, in: &session)
    read(0x8107_2505, pid: 0x01, at: 20, in: &session)  // only the lamp and the count
    read(0x0007_2501, pid: 0x01, at: 30, in: &session)
    let records = try session.finish(at: 40).of("monitors")
    #expect(records.map { $0.texts("incomplete") } == [["catalyst", "evaporativeSystem"], ["catalyst"]])
  }

  @Test func a_driving_cycle_has_its_own_record() throws {
    var session = Session()
    read(0x0007_2505, pid: 0x01, at: 0, in: &session)
    read(0x0000_2004, pid: 0x41, at: 0.5, in: &session)
    let records = try session.finish(at: 1).of("monitors")
    #expect(records.map { $0.text("scope") } == ["sinceClear", "thisCycle"])
    // The catalyst has run. EVAP is not enabled, but exists according to PID 01. AC and others do not exist.
    #expect(
      records.last?.texts("complete") == [
        "misfire", "fuelSystem", "comprehensiveComponent", "catalyst", "oxygenSensor",
      ])
    #expect(records.last?.texts("incomplete") == ["evaporativeSystem"])
  }

  @Test func the_names_are_those_of_the_signals() throws {
    var session = Session()
    var found: Set<String> = []
    for (time, bytes) in [(0.0, 0x0007_FFFF), (1.1, 0x000F_FFFF)] as [(Double, UInt32)] {
      read(bytes, pid: 0x01, at: time, in: &session)
    }
    for record in try session.finish(at: 2).of("monitors") {
      found.formUnion((record.texts("complete") ?? []) + (record.texts("incomplete") ?? []))
    }
    let rows = SAESignals.rows(service: 1, identifier: 0x01).map { saeSignals.span[$0].name.description }
    let expected = rows.filter { $0.hasSuffix("MonitoringReady") }.map { String($0.dropLast("MonitoringReady".count)) }
    #expect(found == Set(expected))
    #expect(found.count == 16)
  }
}
