import ArgumentParser
import Failures
import OBDWire
import SignalSets
import Telemetry

/// `obdgate signals`: lists all signals that readings can contain.
struct SignalsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signals",
    abstract: "Lists every signal: name, service and PID, unit, range, formula, VSS path.")

  @Flag(help: "Print JSON lines instead of a table.")
  var json = false

  @Option(
    help: ArgumentHelp("Also list the signals of these OBDb signal sets.", valueName: "file"), completion: .file())
  var signals: [String] = []

  func run() throws {
    do {
      let loaded = signals.isEmpty ? nil : try SignalSetCache.load(signals)
      var output = OutputStream()
      var rows = Self.standardRows()
      if let loaded { rows += Self.loadedRows(loaded) }
      if json { try writeLines(rows, &output) } else { try writeTable(rows, &output) }
      try output.flush()
    } catch let failure as Failure {
      throw failure.reported(by: "signals")
    }
  }

  private func writeLines(_ rows: [SignalRow], _ output: inout OutputStream) throws {
    var encoder = JSONLineEncoder(capacity: 4096, growable: true)
    for row in rows {
      encoder.begin()
      row.write(into: &encoder)
      encoder.finish()
      try output.write(encoder)
    }
  }

  private func writeTable(_ rows: [SignalRow], _ output: inout OutputStream) throws {
    let header = ["NAME", "PID", "UNIT", "RANGE", "FORMULA", "VSS"]
    for line in TextTable.lines([header] + rows.map(\.cells)) { try output.write(line) }
  }

  private static func standardRows() -> [SignalRow] {
    var rows: [SignalRow] = []
    var seen: Set<String> = []
    for i in 0..<saeSignals.count {
      let signal = saeSignals.span[i]
      let definition = signal.definition
      let pid = definition.service == 0 ? "ATRV" : pidText(definition.service, definition.identifier)
      // The table has a row for each layout of oxygen sensors. A signal that is in several layouts is listed only once.
      guard seen.insert("\(signal.name) \(pid)").inserted else { continue }
      rows.append(
        SignalRow(
          name: "\(signal.name)", pid: pid, title: "\(signal.title)", unit: "\(definition.unit.symbol)",
          vss: "\(signal.vss)", definition: definition))
    }
    return rows
  }

  private static func loadedRows(_ loaded: LoadedSignals) -> [SignalRow] {
    loaded.definitions.indices.map { index in
      let id = SignalID(rawValue: SignalID.firstLoaded + UInt16(index))
      let definition = loaded.definitions[index]
      return SignalRow(
        name: loaded.name(of: id) ?? "", pid: pidText(definition.service, definition.identifier),
        title: loaded.title(of: id) ?? "", unit: loaded.unitText(of: id) ?? "", vss: "", definition: definition,
        range: loaded.range(of: id))
    }
  }
}

/// One signal in the list, as a row of the table or as a JSON line.
struct SignalRow {
  var name: String
  var pid: String
  var title: String
  var unit: String
  var vss: String
  var definition: SignalDefinition
  /// The range of values that a signal set declares valid; `nil` if it declares none.
  var range: ClosedRange<Double>?

  var cells: [String] { [name, pid, unit, rangeText, formula, vss] }

  /// The range that is listed: the range that the signal set declares valid, otherwise the range that the bits can
  /// represent; `nil` if unknown.
  private var bounds: (Double, Double)? {
    if let range { return (range.lowerBound, range.upperBound) }
    return definition.range.map { ($0.low, $0.high) }
  }

  private var rangeText: String {
    switch definition.kind {
    case .flag: "true|false"
    case .enumeration: "text"
    case .number: bounds.map { "\(Self.short($0.0))…\(Self.short($0.1))" } ?? ""
    }
  }

  /// The formula as text: the positions of the bits and the calculation. Bits are counted from the most significant bit
  /// of the first data byte.
  private var formula: String {
    if definition.service == 0 { return "as the adapter measures it" }
    let last = Int(definition.bitOffset) + Int(definition.bitLength) - 1
    var text = definition.bitLength == 1 ? "bit \(definition.bitOffset)" : "bits \(definition.bitOffset)–\(last)"
    switch definition.encoding {
    case .unsigned: break
    case .signed: text += " signed"
    case .unsignedLittleEndian: text += " little-endian"
    case .signedLittleEndian: text += " little-endian signed"
    }
    if definition.factor != 1 { text += " × \(Self.short(definition.factor))" }
    if definition.offset > 0 { text += " + \(Self.short(definition.offset))" }
    if definition.offset < 0 { text += " − \(Self.short(-definition.offset))" }
    return text
  }

  func write(into encoder: inout JSONLineEncoder) {
    encoder.key("name")
    encoder.value(name)
    encoder.key("pid")
    encoder.value(pid)
    encoder.key("title")
    encoder.value(title)
    if !unit.isEmpty {
      encoder.key("unit")
      encoder.value(unit)
    }
    encoder.key("kind")
    encoder.value("\(definition.kind)")
    if let bounds {
      encoder.key("min")
      encoder.value(bounds.0)
      encoder.key("max")
      encoder.value(bounds.1)
    }
    encoder.key("formula")
    encoder.value(formula)
    if !vss.isEmpty {
      encoder.key("vss")
      encoder.value(vss)
    }
  }

  /// Formats a number as it is written in JSON: an integer without decimals, any other number with its decimals.
  private static func short(_ value: Double) -> String {
    var encoder = JSONLineEncoder(capacity: 64)
    encoder.begin()
    encoder.key("v")
    encoder.value(value)
    encoder.finish()
    // The encoder's line is, for example, `{"v":1.5}` and a line feed.
    let line = encoder.line
    var text = ""
    for i in 5..<max(5, line.count - 2) { text.unicodeScalars.append(Unicode.Scalar(line[i])) }
    return text
  }
}
