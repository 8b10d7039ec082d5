import Foundation
import OBDWire
import SignalSets
import TestKit
import Testing

/// Real answers to services 21 and 22, read by the whole reader with the signal sets that define them. The values are
/// compared with those of OBDb's own decoder.
struct ExtendedTests {
  private struct Figures {
    var values = 0
    var equal = 0
    var strays = 0
    var wrong: [String] = []
  }

  @Test func values_are_those_of_obdb() throws {
    let rows = try TestData.objects("obd/obdb-extended.jsonl")
    var sets: [String: LoadedSignals] = [:]
    var figures = Figures()
    var undefined = 0
    for row in rows {
      guard let vehicle = row["vehicle"] as? String else { continue }
      if sets[vehicle] == nil { sets[vehicle] = try load(vehicle) }
      guard let loaded = sets[vehicle], !loaded.definitions.isEmpty else {
        // The Jeep's own set is empty; its signals are defined by the make's set, which is not among the recordings.
        undefined += 1
        continue
      }
      judge(row, loaded, &figures)
    }
    print(
      "obd/obdb-extended.jsonl: \(figures.equal) of \(figures.values) values in \(rows.count - undefined) rows equal, "
        + "\(figures.strays) answers to other questions refused; \(undefined) rows without definitions")
    for line in figures.wrong.prefix(20) { print("  \(line)") }
    #expect(figures.values > 4_500)
    #expect(Double(figures.equal) >= 0.995 * Double(figures.values))
  }

  private func load(_ vehicle: String) throws -> LoadedSignals {
    let path = try TestData.path("obd/signalsets/\(vehicle).json")
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    return try LoadedSignals([SignalSet(parsing: bytes, fileName: "\(vehicle).json")], limitPolicy: .limited)
  }

  private func judge(_ row: [String: Any], _ loaded: LoadedSignals, _ figures: inout Figures) {
    let command = row["command_id"] as? String ?? ""
    let lines = row["response"] as? [String] ?? []
    let expected = row["expected"] as? [String: Any] ?? [:]
    let found = WireFindings.of(lines.joined(separator: "\r") + "\r", to: command, loaded: loaded.definitions)
    var values: [String: [Reading]] = [:]
    let identifier = UInt16(row["pid"] as? String ?? "", radix: 16)
    for reading in found.readings where reading.signal.isLoaded {
      guard let name = loaded.name(of: reading.signal) else { continue }
      values[name, default: []].append(reading)
      if !lines.contains(where: { $0.hasPrefix(">") }) {
        #expect(reading.identifier == identifier, "\(command): a reading of another question in \(lines)")
      }
    }
    figures.strays += found.errors.count { $0.kind == .unexpected }
    for (name, value) in expected {
      figures.values += 1
      // If several ECUs answered, OBDb evaluated one of them, which is not named.
      if values[name, default: []].contains(where: { isEqual($0, value, loaded) }) {
        figures.equal += 1
      } else {
        let shown = values[name, default: []].map(\.value)
        figures.wrong.append("\(command) \(name) = \(value): \(shown) in \(lines), \(found.errors.map(\.kind))")
      }
    }
  }

  private func isEqual(_ reading: Reading, _ expected: Any, _ loaded: LoadedSignals) -> Bool {
    let row = loaded.definitions[Int(reading.signal.rawValue - SignalID.firstLoaded)]
    // In the recordings, texts that look like numbers have lost their quotes.
    if row.kind == .enumeration { return loaded.mapText(of: reading.signal, code: reading.value) == "\(expected)" }
    guard let number = (expected as? NSNumber)?.doubleValue else { return false }
    return abs(loaded.limited(reading.value, of: reading.signal) - number) <= max(1e-4 * abs(number), 6e-6)
  }
}
