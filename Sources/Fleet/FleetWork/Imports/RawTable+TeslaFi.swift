import FleetDomain

/// The names of columns in files of TeslaFi, in lower case.
enum TeslaFi {
  static let names: Set = ["data_id", "date", "vin", "battery_level", "odometer", "chargenumber"]
}

/// Reads monthly files of TeslaFi, which have a row for each minute. The times are local. Distances are in miles.
///
///     data_id,Date,…,vin,…,battery_level,charge_energy_added,…,longitude,heading,gps_as_of,latitude,speed,…
extension RawTable {
  mutating func readTeslaFi(_ section: Section, _ options: ImportOptions) {
    switch kind {
    case .vehicles: readTeslaFiVehicles(section)
    case .fuelEntries: readTeslaFiCharges(section, options)
    case .tracks: readTeslaFiPositions(section, options)
    default: refuse(line: section.header.line, has: [.vehicles, .fuelEntries, .tracks])
    }
  }

  /// Returns the text of a cell; an empty text if the cell contains a word for a missing value, such as `None`.
  private mutating func value(_ name: String, _ section: Section, _ row: CSVText.Row) -> String {
    let text = text(section.column(name), of: row)
    return Self.isNone(text) ? "" : text
  }

  private mutating func readTeslaFiVehicles(_ section: Section) {
    var seen: Set<String> = []
    read(section) { table, row in
      let vin = table.value("vin", section, row)
      guard !vin.isEmpty, seen.insert(vin).inserted else { return }
      var raw = RawRow(line: row.line)
      raw.constants["id"] = .text(vin)
      raw.constants["fuelType"] = Vehicle.Fuel.electric.json
      raw.constants["make"] = .text("Tesla")
      let names = ["vehicle_name", "display_name"].map { table.value($0, section, row) }
      if let name = names.first(where: { !$0.isEmpty }) { raw.constants["name"] = .text(name) }
      raw.set("vin", section.column("vin"), of: row)
      table.rows.append(raw)
    }
  }

  /// Reads each charge as one entry, from the last row that contains the number of the charge.
  private mutating func readTeslaFiCharges(_ section: Section, _ options: ImportOptions) {
    var last: [[String]: Int] = [:]
    for (index, row) in section.rows.enumerated() {
      let number = value("chargenumber", section, row)
      guard !number.isEmpty, number != "0", !value("charge_energy_added", section, row).isEmpty else { continue }
      last[[value("vin", section, row), number]] = index
    }
    let ends = Set(last.values.map { section.rows[$0].line })
    if ends.isEmpty { return refuse(line: section.header.line, has: [.vehicles, .tracks]) }
    var others = 0
    read(section) { table, row in
      let vin = table.value("vin", section, row)
      _ = table.value("chargenumber", section, row)
      guard ends.contains(row.line) else {
        others += 1
        return
      }
      var raw = table.new(row, options)
      raw.vehicleNames = [vin].filter { !$0.isEmpty }
      raw.constants["energy"] = FuelEntry.Energy.electric.json
      raw.constants["full"] = .bool(ExactDecimal(table.value("battery_level", section, row))?.units(ofScale: 0) == 100)
      raw.set("at", section.column("date"), of: row, .time)
      raw.set("odometer", section.column("odometer"), of: row, .reading(times: .mile))
      raw.set("quantity", section.column("charge_energy_added"), of: row, .number)
      table.rows.append(raw)
    }
    report(rows: others, of: section, because: "they are not the end of a charge")
  }

  private mutating func readTeslaFiPositions(_ section: Section, _ options: ImportOptions) {
    var asleep = 0
    read(section) { table, row in
      let vin = table.value("vin", section, row)
      let position = ["latitude", "longitude"].map { table.value($0, section, row) }
      guard position.allSatisfy({ !$0.isEmpty }), position.contains(where: { ExactDecimal($0)?.digits != 0 }) else {
        asleep += 1
        return
      }
      var raw = table.new(row, options)
      raw.vehicleNames = [vin].filter { !$0.isEmpty }
      raw.set("timestamp", section.column("date"), of: row, .time)
      raw.set("latitude", section.column("latitude"), of: row, .number)
      raw.set("longitude", section.column("longitude"), of: row, .number)
      for (key, name, meaning) in [
        ("heading", "heading", CellMeaning.number), ("gpsSpeed", "speed", .number(times: .mile)),
        ("altitude", "elevation", .number),
      ] where !table.value(name, section, row).isEmpty {
        raw.set(key, section.column(name), of: row, meaning)
      }
      table.rows.append(raw)
    }
    report(rows: asleep, of: section, because: "they have no position")
  }

  /// Reports rows that are not imported.
  mutating func report(rows count: Int, of section: Section, because reason: String) {
    guard count > 0 else { return }
    rest.append(
      ImportRest(
        line: section.header.line, rows: count, columns: [],
        message: "not imported: \(count) \(count == 1 ? "row" : "rows"), because \(reason)"))
  }
}
