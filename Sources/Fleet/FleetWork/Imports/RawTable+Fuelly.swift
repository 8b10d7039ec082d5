import FleetDomain

/// The names of columns in exports of Fuelly, in lower case.
enum Fuelly {
  static let names: Set = ["car_name", "odometer", "fuelup_date", "price"]
}

/// Reads exports of Fuelly. One file may have the fills of several vehicles. `price` is the price of a unit, without a
/// currency. Dates are written with the month first.
///
///     car_name,model,l/100km,odometer,km,litres,price,city_percentage,fuelup_date,date_added,tags,notes,…
extension RawTable {
  mutating func readFuelly(_ section: Section, _ options: ImportOptions) {
    guard kind == .fuelEntries else { return refuse(line: section.header.line, has: [.fuelEntries]) }
    dates = .monthFirst
    let quantity = section.column { ["litres", "liters", "gallons", "kwh"].contains($0) }
    let unit = quantity.map { section.names[$0] }
    guard quantity != nil else { return fail(section.header.line, nil, "expected the column litres, gallons or kwh") }
    if unit == "gallons", options.volumeUnit == nil {
      fail(section.header.line, quantity, "add volumeUnit=usGallon or imperialGallon")
    }
    let trip = section.column("km", "miles")
    guard let distance = options.distanceUnit ?? trip.map({ section.names[$0] == "miles" ? .mile : .kilometer }) else {
      return fail(section.header.line, nil, "the file has no unit of distances: add distanceUnit=km or mi")
    }
    let energy = options.energy ?? (unit == "kwh" ? .electric : nil)
    read(section) { table, row in
      var raw = table.new(row, options)
      raw.vehicleNames = [table.text(section.column("car_name"), of: row)].filter { !$0.isEmpty }
      if let energy { raw.constants["energy"] = energy.json }
      if unit == "gallons", let volume = options.volumeUnit { raw.constants["unit"] = volume.json }
      raw.constants["full"] = .bool(true)
      raw.set("at", section.column("fuelup_date"), of: row, .time)
      raw.set("odometer", section.column("odometer"), of: row, .reading(times: distance.kilometers))
      raw.set("quantity", quantity, of: row, .number)
      raw.set("price", section.column("price"), of: row, .money)
      raw.set("missedPrevious", section.column("missed_fuelup"), of: row, .flag)
      raw.set("full", section.column("partial_fuelup"), of: row, .noFlag)
      raw.set("place", section.column("brand"), of: row)
      raw.set("notes", section.column("notes"), of: row)
      table.rows.append(raw)
    }
  }
}
