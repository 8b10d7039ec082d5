import FleetDomain

/// Reads backups of Fuelio.
///
///     "## Vehicle"
///     "Name","Description","DistUnit","FuelUnit",…
///     "## Log"
///     "Data","Odo (km)","Fuel (litres)","Full","Price (optional)",…,"Missed","TankNumber","FuelType","VolumePrice",…
extension RawTable {
  mutating func readFuelio(_ sections: [Section], _ kind: ImportKind, _ options: ImportOptions) {
    let vehicle = sections.first { $0.name == "vehicle" }
    switch kind {
    case .vehicles: readVehicles(vehicle)
    case .fuelEntries: readLog(sections.first { $0.name == "log" }, vehicle, options)
    case .expenses:
      readCosts(
        sections.first { $0.name == "costs" }, categories: sections.first { $0.name == "costcategories" }, options)
    case .drivers, .maintenanceRecords: refuse(kind)
    }
  }

  private mutating func readVehicles(_ section: Section?) {
    guard let section else { return refuse(.vehicles) }
    for row in section.rows {
      var raw = RawRow(line: row.line)
      raw.set("id", section.column("plate"), of: row)
      if raw.cells["id"]?.text.trimmed.isEmpty ?? true { raw.set("id", section.column("name"), of: row) }
      for (key, name) in [
        ("name", "name"), ("vin", "vin"), ("licencePlate", "plate"), ("make", "make"), ("model", "model"),
        ("notes", "description"),
      ] { raw.set(key, section.column(name), of: row) }
      raw.set("modelYear", section.column("year"), of: row, .number(times: 1))
      raw.set("tankCapacity", section.column("tank1capacity"), of: row, .reading(times: 1))
      rows.append(raw)
    }
  }

  private mutating func readLog(_ section: Section?, _ vehicle: Section?, _ options: ImportOptions) {
    guard let section else { return refuse(.fuelEntries) }
    func setting(_ name: String) -> String? {
      guard let column = vehicle?.column(name), let row = vehicle?.rows.first, column < row.cells.count else {
        return nil
      }
      return row.cells[column].trimmed
    }
    let odometer = section.column { $0.hasPrefix("odo") }
    let isMiles = odometer.map { section.header.cells[$0].contains("(mi)") } ?? (setting("distunit") == "1")
    let distance = options.distanceUnit ?? (isMiles ? .mile : .kilometer)
    for row in section.rows {
      var raw = RawRow(line: row.line)
      func cell(_ name: String) -> String? {
        guard let column = section.column(name), column < row.cells.count else { return nil }
        return row.cells[column].trimmed
      }
      let isSecond = cell("tanknumber") == "2"
      guard let energy = options.energy ?? Self.energy(cell("fueltype"), setting(isSecond ? "tank2type" : "tank1type"))
      else {
        errors.append(
          ImportError(
            line: row.line, column: section.column("fueltype").map { $0 + 1 },
            message: "unknown type of fuel; add energy=petrol, or another one"))
        continue
      }
      raw.constants["energy"] = energy.json
      if let vehicle = options.vehicle { raw.constants["vehicleId"] = .text(vehicle) }
      let unit = setting(isSecond ? "fuelunittank2" : "fuelunit")
      raw.constants["unit"] =
        energy.unit != .litre
        ? energy.unit.json
        : (options.volumeUnit ?? (unit == "1" ? .usGallon : unit == "2" ? .imperialGallon : .litre)).json
      raw.set("at", section.column("data"), of: row, .time)
      raw.set("odometer", odometer, of: row, .reading(times: distance.kilometers))
      raw.set("quantity", section.column { $0.hasPrefix("fuel (") }, of: row, .number(times: 1))
      raw.set("full", section.column("full"), of: row, .flag)
      raw.set("missedPrevious", section.column("missed"), of: row, .flag)
      raw.set("total", section.column { $0.hasPrefix("price") }, of: row, .money)
      raw.set("price", section.column("volumeprice"), of: row, .money)
      raw.set("place", section.column { $0.hasPrefix("city") }, of: row)
      raw.set("notes", section.column { $0.hasPrefix("notes") }, of: row)
      rows.append(raw)
    }
  }

  /// Returns the energy for a code of Fuelio: 1xx petrol, 2xx diesel, 400 and 401 LPG, 402 CNG, 6xx electric.
  private static func energy(_ code: String?, _ tank: String?) -> FuelEntry.Energy? {
    for text in [code, tank] {
      guard let text, let number = Int(text), number >= 100 else { continue }
      switch number {
      case 100..<200: return .petrol
      case 200..<300: return .diesel
      case 400, 401: return .lpg
      case 402: return .cng
      case 600..<700: return .electric
      default: return nil
      }
    }
    return nil
  }

  private mutating func readCosts(_ section: Section?, categories: Section?, _ options: ImportOptions) {
    guard let section else { return refuse(.expenses) }
    var names: [String: String] = [:]
    for row in categories?.rows ?? [] where row.cells.count > 1 { names[row.cells[0].trimmed] = row.cells[1] }
    for row in section.rows {
      func cell(_ name: String) -> String {
        guard let column = section.column(name), column < row.cells.count else { return "" }
        return row.cells[column].trimmed
      }
      guard cell("istemplate") != "1" else {
        skip(row, "a template of costs that repeat")
        continue
      }
      guard cell("isincome") != "1" else {
        skip(row, "an income")
        continue
      }
      guard Double(cell("cost")) != 0 else {
        skip(row, "costs nothing")
        continue
      }
      var raw = RawRow(line: row.line)
      let category = names[cell("costtypeid")]
      raw.constants["category"] = Self.category([category, cell("costtitle")]).json
      if let vehicle = options.vehicle { raw.constants["vehicleId"] = .text(vehicle) }
      raw.set("at", section.column("date"), of: row, .time)
      raw.set("amount", section.column("cost"), of: row, .money)
      raw.constants["notes"] = .text([cell("costtitle"), cell("notes")].filter { !$0.isEmpty }.joined(separator: ": "))
      rows.append(raw)
    }
  }

  /// Returns the category of an expense. It is found by words that people often use in its texts.
  static func category(_ texts: [String?]) -> Expense.Category {
    let words: [(Expense.Category, [String])] = [
      (.parking, ["park", "estacion"]), (.toll, ["toll", "maut", "peaje", "pedágio", "pedaggio", "péage"]),
      (.fine, ["fine", "ticket", "multa", "strafe", "amende"]),
      (.insurance, ["insur", "versicher", "segur", "assicur"]),
      (.tax, ["tax", "steuer", "bollo", "impuesto", "imposto", "registration"]), (.lease, ["leas"]),
      (.wash, ["wash", "wäsche", "lavad", "lavag"]),
    ]
    let text = texts.compactMap { $0?.lowercased() }.joined(separator: " ")
    return words.first { $0.1.contains { text.contains($0) } }?.0 ?? .other
  }
}
