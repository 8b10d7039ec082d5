import JSONText
import OBDWire
import TroubleCodes

/// Prints trouble codes (`dtc` records) as JSON lines or as text.
struct CodePrinter {
  let catalog: TroubleCodeCatalog
  let json: Bool

  /// Prints the `dtc` records of an answer, and flushes the output.
  func write(_ records: [FinishedRecord]) throws {
    var output = OutputStream()
    let make = records.last { $0.type == "vehicle" }?["make"]?.string
    for record in records where record.type == "dtc" {
      if json {
        try output.write(record.bytes.span)
      } else {
        for line in lines(of: record, make: make) { try output.write(line) }
      }
    }
    try output.flush()
  }

  private func lines(of record: FinishedRecord, make: String?) -> [String] {
    var head = record["ecu"]?.string ?? "vehicle"
    if let lamp = record["mil"]?.bool { head += ": lamp (MIL) \(lamp ? "on" : "off")" }
    if let distance = record["distanceMIL"], record["mil"]?.bool == true {
      head += ", \(distance.plainText) km with it"
    }
    var lines = [head]
    for (key, name) in [("dtcCodes", "stored"), ("pending", "pending"), ("permanent", "permanent")] {
      lines += list(name, record.strings(key), make)
    }
    if let frame = record["freezeFrame"] { lines += self.lines(ofFrame: frame) }
    return lines
  }

  /// Formats the codes of one list. `nil` means that the list was not read, which is shown differently from an empty
  /// list.
  private func list(_ name: String, _ codes: [String]?, _ make: String?) -> [String] {
    let column = "  " + name.padded(to: 11)
    guard let codes else { return [column + "not answered"] }
    guard !codes.isEmpty else { return [column + "none"] }
    return codes.map { column + description(of: $0, make) }
  }

  /// Formats a code and its text: `P0420 …`, or `P0420-11 …` if the vehicle reports a failure type.
  private func description(of code: String, _ make: String?) -> String {
    guard let name = CodeName(parsing: code.prefix(5)) else { return code }
    let failure = code.count == 8 ? UInt8(code.suffix(2), radix: 16) : nil
    return catalog.describe(name.number, failureType: failure, make: make)
  }

  private func lines(ofFrame frame: JSONValue) -> [String] {
    let code = frame["dtc"].map { " of \($0.plainText)" } ?? ""
    var lines = ["  freeze frame \(frame["frame"]?.plainText ?? "")\(code)"]
    let readings = frame["readings"]?.members.map { member in
      let unit = Self.unit(of: member.key)
      return "\(member.key) \(member.value.plainText)\(unit.isEmpty ? "" : " \(unit)")"
    }
    var line = ""
    for reading in readings ?? [] {
      if !line.isEmpty, line.count + reading.count > 100 {
        lines.append("    \(line),")
        line = ""
      }
      line += line.isEmpty ? reading : ", \(reading)"
    }
    if !line.isEmpty { lines.append("    " + line) }
    return lines
  }

  /// Returns the unit of a signal; empty if the signal has no unit.
  ///
  /// - Parameter name: name of the signal in records.
  private static func unit(of name: String) -> String {
    let rows = saeSignals.span
    for index in rows.indices where rows[index].name.description == name {
      return rows[index].definition.unit.symbol.description
    }
    return ""
  }
}
