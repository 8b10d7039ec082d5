import FleetDomain

/// The names of columns in Fleetio's files of fuel entries, in lower case.
enum Fleetio {
  static let names: Set = ["vehicle_name", "vehicle_vin"]

  /// For each name of a column with volumes, the unit of these volumes.
  static let volumes: [String: FuelEntry.Unit] = [
    "us_gallons": .usGallon, "uk_gallons": .imperialGallon, "imperial_gallons": .imperialGallon, "liters": .litre,
    "litres": .litre, "kwh": .kilowattHour, "kilowatt_hours": .kilowattHour,
  ]
}

/// Reads Fleetio's files of fuel entries. The unit of the meter is a setting of each vehicle, and not in the file.
///
///     vehicle_name,vehicle_vin,date,meter_value,void_meter,us_gallons,price_per_volume_unit,fuel_type_name,…
extension RawTable {
  mutating func readFleetio(_ section: Section, _ options: ImportOptions) {
    guard kind == .fuelEntries else { return refuse(line: section.header.line, has: [.fuelEntries]) }
    guard let quantity = section.column(where: { Fleetio.volumes[$0] != nil }),
      let unit = Fleetio.volumes[section.names[quantity]]
    else { return fail(section.header.line, nil, "expected a column such as us_gallons or liters") }
    let meter = section.column("meter_value")
    let distance = options.distanceUnit
    read(section) { table, row in
      func cell(_ name: String) -> String { table.text(section.column(name), of: row) }
      var raw = table.new(row, options)
      let name = cell("vehicle_name")
      // Lists of Fleetio show a vehicle as `1100 [2018 Toyota Prius]`.
      let short = name.split(separator: " [").first.map(String.init) ?? ""
      raw.vehicleNames = [cell("vehicle_vin"), name, short].filter { !$0.isEmpty }
      if let energy = options.energy ?? (unit == .kilowattHour ? .electric : ImportWords.energy(cell("fuel_type_name")))
      {
        raw.constants["energy"] = energy.json
      }
      if unit.standard == .litre { raw.constants["unit"] = unit.json }
      raw.constants["full"] = .bool(true)
      raw.set("full", section.column("partial"), of: row, .noFlag)
      raw.set("at", section.column("date"), of: row, .time)
      raw.set("quantity", quantity, of: row, .number)
      raw.set("price", section.column("price_per_volume_unit"), of: row, .money)
      raw.set("total", section.column("total_amount", "total"), of: row, .money)
      raw.set("place", section.column("vendor_name"), of: row)
      let texts = [cell("reference"), cell("comments")].filter { !$0.isEmpty }
      if !texts.isEmpty { raw.constants["notes"] = .text(texts.joined(separator: ": ")) }
      let reading = table.text(meter, of: row)
      if Forms.flag(cell("void_meter")) == true {
        if !reading.isEmpty {
          table.skipped.append(
            ImportError(
              line: row.line, column: meter.map { $0 + 1 },
              message: "the reading of the meter, which the file marks as void; the fill is imported without it"))
        }
      } else if let distance {
        raw.set("odometer", meter, of: row, .reading(times: distance.kilometers))
      } else if !reading.isEmpty {
        table.fail(row.line, meter, "the file has no unit of distances: add distanceUnit=km or mi")
      }
      table.rows.append(raw)
    }
  }
}
