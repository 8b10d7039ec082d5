import FleetDomain

/// Reads exports of Drivvo. Column names are in the language of the phone, so most columns are found by their
/// positions.
///
///     ##Refuelling
///     Odômetro (km),Data,Combustível,Preço / L,Valor total,Volume,Completou o tanque,Segundo combustível,…
extension RawTable {
  mutating func readDrivvo(_ sections: [Section], _ kind: ImportKind, _ options: ImportOptions) {
    func section(_ names: String...) -> Section? { sections.first { names.contains($0.name) } }
    switch kind {
    case .vehicles: readDrivvoVehicles(section("vehicle", "vehículo", "veiculo", "veículo"))
    case .fuelEntries:
      readRefuelling(section("refuelling", "refueling", "reabastecimiento", "abastecimento"), options)
    case .expenses: readDrivvoExpenses(section("expense", "gasto", "despesa"), options)
    case .drivers, .maintenanceRecords: refuse(kind)
    }
  }

  private mutating func readDrivvoVehicles(_ section: Section?) {
    guard let section else { return refuse(.vehicles) }
    for row in section.rows {
      var raw = RawRow(line: row.line)
      // The columns are name, model, plate, another column, year, description.
      for (key, column) in [("name", 0), ("model", 1), ("licencePlate", 2), ("notes", 5)] {
        raw.set(key, column, of: row)
      }
      raw.set("id", 2, of: row)
      if raw.cells["id"]?.text.trimmed.isEmpty ?? true { raw.set("id", 0, of: row) }
      raw.set("modelYear", 4, of: row, .number(times: 1))
      rows.append(raw)
    }
  }

  private mutating func readRefuelling(_ section: Section?, _ options: ImportOptions) {
    guard let section else { return refuse(.fuelEntries) }
    let names = section.header.cells.map { $0.lowercased() }
    let distance = options.distanceUnit ?? (names[0].contains("(mi") ? .mile : .kilometer)
    let notes = section.column { ["notes", "observação", "observación", "notizen", "remarques", "note"].contains($0) }
    for row in section.rows {
      // If a fill has several fuels, their cells follow one another in the same row.
      for (fuel, price, isFirst) in [(2, 3, true), (7, 8, false), (12, 13, false)] {
        let quantity = price + 2
        guard quantity < row.cells.count else { continue }
        let text = row.cells[quantity].trimmed
        if !isFirst, !text.contains(where: { "123456789".contains($0) }) || names.count < 18 { continue }
        guard let energy = options.energy ?? Self.energy(row.cells[fuel]) else {
          errors.append(
            ImportError(
              line: row.line, column: fuel + 1, message: "unknown type of fuel; add energy=petrol, or another one"))
          continue
        }
        var raw = RawRow(line: row.line)
        raw.constants["energy"] = energy.json
        let isGallon = price < names.count && names[price].contains("gal")
        if isGallon, options.volumeUnit == nil {
          errors.append(
            ImportError(
              line: section.header.line, column: price + 1, message: "add volumeUnit=usGallon or imperialGallon"))
        }
        raw.constants["unit"] = (energy.unit == .litre ? options.volumeUnit ?? .litre : energy.unit).json
        if let vehicle = options.vehicle { raw.constants["vehicleId"] = .text(vehicle) }
        raw.set("odometer", 0, of: row, .reading(times: distance.kilometers))
        raw.set("at", 1, of: row, .time)
        raw.set("price", price, of: row, .money)
        raw.set("total", price + 1, of: row, .money)
        raw.set("quantity", quantity, of: row, .number(times: 1))
        raw.set("full", price + 3, of: row, .flag)
        raw.set("notes", notes, of: row)
        rows.append(raw)
      }
    }
  }

  private static func energy(_ text: String) -> FuelEntry.Energy? {
    let words: [(FuelEntry.Energy, [String])] = [
      (.diesel, ["diesel", "gasóleo", "gasoleo", "gasoil", "gazole", "gasolio"]), (.lpg, ["lpg", "glp", "gpl"]),
      (.cng, ["cng", "gnv", "gnc", "metano"]), (.electric, ["elec", "eléc", "elét", "elét", "elek", "strom"]),
      (.petrol, ["gas. ", "gasol", "petrol", "benzin", "super", "essence", "unleaded"]),
    ]
    let name = text.lowercased()
    return words.first { $0.1.contains { name.contains($0) } }?.0
  }

  private mutating func readDrivvoExpenses(_ section: Section?, _ options: ImportOptions) {
    guard let section else { return refuse(.expenses) }
    let notes = section.column { ["notes", "observação", "observación", "note"].contains($0) }
    for row in section.rows {
      // The columns are odometer, date, cost, title.
      let title = row.cells.count > 3 ? row.cells[3].trimmed : ""
      var raw = RawRow(line: row.line)
      raw.constants["category"] = Self.category([title]).json
      if let vehicle = options.vehicle { raw.constants["vehicleId"] = .text(vehicle) }
      raw.set("at", 1, of: row, .time)
      raw.set("amount", 2, of: row, .money)
      let note = notes.flatMap { $0 < row.cells.count ? row.cells[$0].trimmed : nil } ?? ""
      raw.constants["notes"] = .text([title, note].filter { !$0.isEmpty }.joined(separator: ": "))
      rows.append(raw)
    }
  }
}
