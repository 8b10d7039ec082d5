import FleetDomain

/// The names of columns in exports of LubeLogger, in lower case.
enum LubeLogger {
  static let odometer: Set = ["odometer", "odo"]
  static let quantity: Set = ["fuelconsumed", "gallons", "liters", "litres", "consumption", "quantity"]
  static let cost: Set = ["cost", "total cost", "totalcost", "total price"]
}

/// Reads exports of LubeLogger. Each file contains one kind of things, and names neither the vehicle nor the units. The
/// format of dates and money depends on the language of the LubeLogger server.
///
///     Date,Odometer,FuelConsumed,Cost,FuelEconomy,IsFillToFull,MissedFuelUp,Notes,Tags
extension RawTable {
  mutating func readLubeLogger(_ section: Section, _ options: ImportOptions) {
    let quantity = section.column(where: LubeLogger.quantity.contains)
    let cost = section.column(where: LubeLogger.cost.contains)
    let line = section.header.line
    let has: [ImportKind] =
      quantity != nil
      ? [.fuelEntries] : cost != nil ? [.expenses, .maintenanceRecords] : [.meterReadings]
    guard has.contains(kind), kind == .fuelEntries || kind == .meterReadings || section.column("description") != nil
    else { return refuse(line: line, has: has) }
    switch kind {
    case .fuelEntries: readFills(section, quantity, cost, options)
    case .meterReadings: readOdometers(section, options)
    default: readCosts(section, cost, options)
    }
  }

  private mutating func readFills(_ section: Section, _ quantity: Int?, _ cost: Int?, _ options: ImportOptions) {
    guard let distance = options.distanceUnit, let energy = options.energy,
      energy.unit != .litre || options.volumeUnit != nil
    else {
      return fail(
        section.header.line, nil,
        "the file has no units: add distanceUnit=km or mi, volumeUnit=L, usGallon or imperialGallon, and energy=petrol or another one"
      )
    }
    read(section) { table, row in
      var raw = table.new(row, options)
      raw.constants["energy"] = energy.json
      raw.constants["unit"] = (energy.unit == .litre ? options.volumeUnit ?? .litre : energy.unit).json
      raw.constants["full"] = .bool(true)
      raw.set("at", section.column("date"), of: row, .time)
      raw.set(
        "odometer", section.column(where: LubeLogger.odometer.contains), of: row, .reading(times: distance.kilometers))
      raw.set("quantity", quantity, of: row, .number)
      raw.set("total", cost, of: row, .money)
      raw.set("full", section.column("isfilltofull", "filledup"), of: row, .flag)
      raw.set("full", section.column("partialfuelup"), of: row, .noFlag)
      raw.set("missedPrevious", section.column("missedfuelup", "missed"), of: row, .flag)
      raw.set("notes", section.column("notes"), of: row)
      table.rows.append(raw)
    }
  }

  private mutating func readOdometers(_ section: Section, _ options: ImportOptions) {
    guard let distance = options.distanceUnit else {
      return fail(section.header.line, nil, "the file has no units: add distanceUnit=km or mi")
    }
    read(section) { table, row in
      var raw = table.new(row, options)
      raw.constants["source"] = MeterReading.Source.imported.json
      raw.set("at", section.column("date"), of: row, .time)
      raw.set(
        "odometer", section.column(where: LubeLogger.odometer.contains), of: row, .number(times: distance.kilometers))
      raw.set("notes", section.column("notes"), of: row)
      table.rows.append(raw)
    }
  }

  /// Reads services, repairs, upgrades or taxes.
  private mutating func readCosts(_ section: Section, _ cost: Int?, _ options: ImportOptions) {
    let odometer = section.column(where: LubeLogger.odometer.contains)
    let isService = kind == .maintenanceRecords
    read(section) { table, row in
      let texts = ["description", "notes"].map { table.text(section.column($0), of: row) }
      var raw = table.new(row, options)
      raw.constants["notes"] = .text(texts.filter { !$0.isEmpty }.joined(separator: ": "))
      if isService {
        if !["", "0"].contains(table.text(odometer, of: row)), options.distanceUnit == nil {
          table.fail(row.line, odometer, "the file has no units: add distanceUnit=km or mi")
        }
        raw.constants["serviceType"] = .text(ImportWords.serviceType([texts[0]]))
        raw.set("completedDate", section.column("date"), of: row, .day)
        raw.set("cost", cost, of: row, .money)
        raw.set("odometer", odometer, of: row, .reading(times: (options.distanceUnit ?? .kilometer).kilometers))
      } else {
        raw.constants["category"] = ImportWords.category(texts).json
        raw.set("at", section.column("date"), of: row, .time)
        raw.set("amount", cost, of: row, .money)
      }
      table.rows.append(raw)
    }
  }
}
