import FleetDomain

/// Reads exports of Drivvo. Column names are in the language of the phone, so most columns are found by their
/// positions.
///
///     ##Refuelling
///     Odômetro (km),Data,Combustível,Preço / L,Valor total,Volume,Completou o tanque,Segundo combustível,…
///     ##Service
///     Odometer,Date,Cost,Title,,Notes
extension RawTable {
  private static var refuelling: [String] {
    [
      "refuelling", "refueling", "reabastecimiento", "reabastecimento", "abastecimento", "tankvorgang",
      "ravitaillement",
    ]
  }
  private static var service: [String] { ["service", "servicio", "serviço", "servico", "servizio"] }
  private static var expense: [String] { ["expense", "gasto", "despesa", "ausgabe", "dépense", "spesa"] }
  private static var vehicle: [String] { ["vehicle", "vehículo", "vehiculo", "veiculo", "veículo", "fahrzeug"] }
  private static var notes: Set<String> {
    [
      "notes", "note", "observação", "observações", "observación", "observaciones", "notas", "notizen", "notiz",
      "bemerkung", "remarques", "remarque", "заметки", "примечание",
    ]
  }

  mutating func readDrivvo(_ sections: [Section], _ options: ImportOptions) {
    func section(_ names: [String]) -> Section? { sections.first { names.contains($0.name) } }
    let kinds = Dictionary(
      uniqueKeysWithValues: Self.refuelling.map { ($0, [ImportKind.fuelEntries]) }
        + Self.service.map { ($0, [.maintenanceRecords]) } + Self.expense.map { ($0, [.expenses]) }
        + Self.vehicle.map { ($0, [.vehicles]) })
    let vehicles = section(Self.vehicle)
    let read: Section? =
      switch kind {
      case .vehicles: vehicles
      case .fuelEntries: section(Self.refuelling)
      case .maintenanceRecords: section(Self.service)
      case .expenses: section(Self.expense)
      default: nil
      }
    guard let read else { return refuse(has: sections.flatMap { kinds[$0.name, default: []] }) }
    report(unread: sections, read: read, kinds: kinds)
    let names = Self.vehicleNames(vehicles)
    switch kind {
    case .vehicles: readDrivvoVehicles(read)
    case .fuelEntries: readRefuelling(read, names, options)
    case .maintenanceRecords: readDrivvoCosts(read, names, isService: true, options)
    default: readDrivvoCosts(read, names, isService: false, options)
    }
  }

  private mutating func readDrivvoVehicles(_ section: Section) {
    read(section) { table, row in
      var raw = RawRow(line: row.line)
      // The columns are name, model, plate, another column, year, description.
      for (key, column) in [("name", 0), ("model", 1), ("licencePlate", 2), ("notes", 5)] {
        raw.set(key, column, of: row)
      }
      raw.set("id", table.text(2, of: row).isEmpty ? 0 : 2, of: row)
      raw.set("modelYear", 4, of: row, .number)
      table.rows.append(raw)
    }
  }

  /// Returns the registration number and the name of each vehicle. The key is the name of the vehicle.
  private static func vehicleNames(_ section: Section?) -> [String: [String]] {
    var names: [String: [String]] = [:]
    for row in section?.rows ?? [] {
      let (name, plate) = (row.cells[0].trimmed, row.cells.count > 2 ? row.cells[2].trimmed : "")
      names[name] = [plate, name].filter { !$0.isEmpty }
    }
    return names
  }

  /// Sets the vehicle of a row. If the file has a column for vehicles, this column contains the vehicle's name.
  /// Otherwise, the file has a single vehicle.
  private mutating func setVehicle(
    _ raw: inout RawRow, _ section: Section, _ names: [String: [String]], _ row: CSVText.Row
  ) {
    let column = section.column { Self.vehicle.contains($0) }
    let name = text(column, of: row)
    if !name.isEmpty {
      raw.vehicleNames = names[name] ?? [name]
    } else if names.count == 1, let only = names.values.first {
      raw.vehicleNames = only
    }
  }

  private static func distance(_ section: Section, _ options: ImportOptions) -> DistanceUnit {
    options.distanceUnit ?? (section.names[0].contains("(mi") ? .mile : .kilometer)
  }

  private mutating func readRefuelling(_ section: Section, _ vehicles: [String: [String]], _ options: ImportOptions) {
    let names = section.names
    let distance = Self.distance(section, options)
    let notes = section.column(where: Self.notes.contains)
    let place = section.column { $0.contains("posto de") || $0 == "gas station" || $0.contains("tankstelle") }
    let gallons = [3, 8, 13].first { $0 < names.count && names[$0].contains("gal") }
    if let gallons, options.volumeUnit == nil {
      fail(section.header.line, gallons, "add volumeUnit=usGallon or imperialGallon")
    }
    read(section) { table, row in
      // If a fill has several fuels, their cells follow one another in the same row.
      for (fuel, price, isFirst) in [(2, 3, true), (7, 8, false), (12, 13, false)] {
        let quantity = price + 2
        let volume = isFirst || names.count >= 18 ? table.text(quantity, of: row) : ""
        if !isFirst {
          guard names.count >= 18 else { continue }
          for column in [fuel, price, price + 1, price + 3] { table.used.insert(column) }
          guard volume.contains(where: { "123456789".contains($0) }) else { continue }
        }
        guard let energy = options.energy ?? ImportWords.energy(table.text(fuel, of: row)) else {
          table.fail(row.line, fuel, "unknown type of fuel; add energy=petrol, or another one")
          continue
        }
        var raw = table.new(row, options)
        table.setVehicle(&raw, section, vehicles, row)
        raw.constants["energy"] = energy.json
        raw.constants["unit"] = (energy.unit == .litre ? options.volumeUnit ?? .litre : energy.unit).json
        raw.set("odometer", 0, of: row, .reading(times: distance.kilometers))
        raw.set("at", 1, of: row, .time)
        raw.set("price", price, of: row, .money)
        raw.set("total", price + 1, of: row, .money)
        raw.set("quantity", quantity, of: row, .number)
        raw.set("full", price + 3, of: row, .flag)
        raw.set("place", place, of: row)
        raw.set("notes", notes, of: row)
        table.rows.append(raw)
      }
    }
  }

  /// Reads services or expenses. The first columns are odometer, date, cost and title.
  private mutating func readDrivvoCosts(
    _ section: Section, _ vehicles: [String: [String]], isService: Bool, _ options: ImportOptions
  ) {
    let notes = section.column(where: Self.notes.contains)
    let distance = Self.distance(section, options)
    read(section) { table, row in
      let (title, note) = (table.text(3, of: row), table.text(notes, of: row))
      var raw = table.new(row, options)
      table.setVehicle(&raw, section, vehicles, row)
      raw.constants["notes"] = .text([title, note].filter { !$0.isEmpty }.joined(separator: ": "))
      if isService {
        raw.constants["serviceType"] = .text(ImportWords.serviceType([title]))
        raw.set("completedDate", 1, of: row, .day)
        raw.set("cost", 2, of: row, .money)
        raw.set("odometer", 0, of: row, .reading(times: distance.kilometers))
      } else {
        raw.constants["category"] = ImportWords.category([title]).json
        raw.set("at", 1, of: row, .time)
        raw.set("amount", 2, of: row, .money)
      }
      table.rows.append(raw)
    }
  }
}
