import FleetDomain

/// Reads backups of Fuelio.
///
///     "## Vehicle"
///     "Name","Description","DistUnit","FuelUnit",…
///     "## Log"
///     "Data","Odo (km)","Fuel (litres)","Full","Price (optional)",…,"Missed","TankNumber","FuelType","VolumePrice",…
extension RawTable {
  mutating func readFuelio(_ sections: [Section], _ options: ImportOptions) {
    func section(_ name: String) -> Section? { sections.first { $0.name == name } }
    let (vehicle, costs, categories) = (section("vehicle"), section("costs"), section("costcategories"))
    let kinds: [String: [ImportKind]] = [
      "vehicle": [.vehicles], "log": [.fuelEntries], "costs": [.expenses],
    ]
    let read: Section? =
      switch kind {
      case .vehicles: vehicle
      case .fuelEntries: section("log")
      case .expenses: costs
      default: nil
      }
    guard let read else { return refuse(has: sections.flatMap { kinds[$0.name, default: []] }) }
    report(
      unread: sections.filter { section in
        // The names of the categories are read with the costs, and the units with the fills.
        !(kind == .expenses && section.name == "costcategories")
      }, read: read, kinds: kinds)
    switch kind {
    case .vehicles: readVehicles(read)
    case .fuelEntries: readLog(read, vehicle, options)
    default: readCosts(read, categories: categories, vehicle, options)
    }
  }

  private mutating func readVehicles(_ section: Section) {
    read(section) { table, row in
      var raw = RawRow(line: row.line)
      raw.set(
        "id", table.text(section.column("plate"), of: row).isEmpty ? section.column("name") : section.column("plate"),
        of: row)
      for (key, name) in [
        ("name", "name"), ("vin", "vin"), ("licencePlate", "plate"), ("make", "make"), ("model", "model"),
        ("notes", "description"),
      ] { raw.set(key, section.column(name), of: row) }
      raw.set("modelYear", section.column("year"), of: row, .number)
      raw.set("tankCapacity", section.column("tank1capacity"), of: row, .reading(times: .one))
      table.rows.append(raw)
    }
  }

  /// Returns the VIN, the registration number and the name of the file's vehicle, without empty texts.
  private static func names(_ vehicle: Section?) -> [String] {
    guard let row = vehicle?.rows.first else { return [] }
    return ["vin", "plate", "name"].compactMap { name in
      vehicle?.column(name).flatMap { $0 < row.cells.count ? row.cells[$0].trimmed : nil }
    }.filter { !$0.isEmpty }
  }

  private mutating func readLog(_ section: Section, _ vehicle: Section?, _ options: ImportOptions) {
    func setting(_ name: String) -> String? {
      guard let column = vehicle?.column(name), let row = vehicle?.rows.first, column < row.cells.count else {
        return nil
      }
      return row.cells[column].trimmed
    }
    let odometer = section.column { $0.hasPrefix("odo") }
    let isMiles = odometer.map { section.header.cells[$0].contains("(mi)") } ?? (setting("distunit") == "1")
    let distance = options.distanceUnit ?? (isMiles ? .mile : .kilometer)
    let names = Self.names(vehicle)
    read(section) { table, row in
      let isSecond = table.text(section.column("tanknumber"), of: row) == "2"
      let code = table.text(section.column("fueltype"), of: row)
      let codes = [code, setting(isSecond ? "tank2type" : "tank1type") ?? ""]
      // If the file states no type, the vehicle determines the energy.
      let energy = options.energy ?? Self.energy(codes)
      guard energy != nil || codes.allSatisfy(Self.isNoFuelType) else {
        table.fail(row.line, section.column("fueltype"), "unknown type of fuel; add energy=petrol, or another one")
        return
      }
      var raw = table.new(row, options)
      raw.vehicleNames = names
      raw.sourceID = table.id(section, row)
      let unit = setting(isSecond ? "fuelunittank2" : "fuelunit")
      let volume = options.volumeUnit ?? (unit == "1" ? .usGallon : unit == "2" ? .imperialGallon : .litre)
      if let energy {
        raw.constants["energy"] = energy.json
        raw.constants["unit"] = (energy.unit == .litre ? volume : energy.unit).json
      } else if volume != .litre {
        raw.constants["unit"] = volume.json
      }
      raw.set("at", section.column("data"), of: row, .time)
      raw.set("odometer", odometer, of: row, .reading(times: distance.kilometers))
      raw.set("quantity", section.column { $0.hasPrefix("fuel (") }, of: row, .number)
      raw.set("full", section.column("full"), of: row, .flag)
      raw.set("missedPrevious", section.column("missed"), of: row, .flag)
      raw.set("total", section.column { $0.hasPrefix("price") }, of: row, .money)
      raw.set("price", section.column("volumeprice"), of: row, .money)
      raw.set("place", section.column { $0.hasPrefix("city") }, of: row)
      raw.set("notes", section.column { $0.hasPrefix("notes") }, of: row)
      table.rows.append(raw)
    }
  }

  /// Returns Fuelio's id of a row; `nil` if the row has none.
  private mutating func id(_ section: Section, _ row: CSVText.Row) -> String? {
    let id = text(section.column("uniqueid"), of: row)
    return id.isEmpty || id == "0" ? nil : id
  }

  /// Whether a cell contains no type of fuel: it is empty, or a number such as -1 or 0.
  private static func isNoFuelType(_ text: String) -> Bool { text.isEmpty || Int(text).map { $0 < 100 } ?? false }

  /// Returns the energy for the first code of Fuelio: 1xx petrol, 2xx diesel, 400 and 401 LPG, 402 CNG, 6xx electric.
  /// Returns `nil` for other codes, and if there is no code.
  ///
  /// - Parameter codes: the cells with the code of the fill and the code of the tank.
  private static func energy(_ codes: [String]) -> FuelEntry.Energy? {
    for text in codes {
      guard let number = Int(text), number >= 100 else { continue }
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

  private mutating func readCosts(
    _ section: Section, categories: Section?, _ vehicle: Section?, _ options: ImportOptions
  ) {
    var categoryNames: [String: String] = [:]
    for row in categories?.rows ?? [] where row.cells.count > 1 { categoryNames[row.cells[0].trimmed] = row.cells[1] }
    let names = Self.names(vehicle)
    read(section) { table, row in
      func cell(_ name: String) -> String { table.text(section.column(name), of: row) }
      let (title, note) = (cell("costtitle"), cell("notes"))
      let category = categoryNames[cell("costtypeid")]
      let (isTemplate, isIncome) = (cell("istemplate") == "1", cell("isincome") == "1")
      if isTemplate { return table.skip(row, "a template of costs that repeat") }
      if isIncome { return table.skip(row, "an income") }
      if ExactDecimal(cell("cost"))?.digits == 0 { return table.skip(row, "costs nothing") }
      var raw = table.new(row, options)
      raw.vehicleNames = names
      raw.sourceID = table.id(section, row)
      raw.constants["category"] = ImportWords.category([category, title]).json
      raw.set("at", section.column("date"), of: row, .time)
      raw.set("amount", section.column("cost"), of: row, .money)
      raw.constants["notes"] = .text([title, note].filter { !$0.isEmpty }.joined(separator: ": "))
      table.rows.append(raw)
    }
  }
}
