import FleetDomain

/// The names of columns in exports of LubeLogger, in lower case.
enum LubeLogger {
  static let odometer: Set = ["odometer", "odo"]
  static let quantity: Set = ["fuelconsumed", "gallons", "liters", "litres", "consumption", "quantity"]
  static let cost: Set = ["cost", "total cost", "totalcost", "total price"]
}

/// Reads exports of LubeLogger. There is one file for each kind of things, without vehicle and units. The format of
/// dates and money depends on the language of the server.
///
///     Date,Odometer,FuelConsumed,Cost,FuelEconomy,IsFillToFull,MissedFuelUp,Notes,Tags
extension RawTable {
  mutating func readLubeLogger(_ section: Section, _ kind: ImportKind, _ options: ImportOptions) {
    let quantity = section.column(where: LubeLogger.quantity.contains)
    let cost = section.column(where: LubeLogger.cost.contains)
    switch kind {
    case .fuelEntries:
      guard quantity != nil else { return refuse(kind, line: section.header.line) }
      guard let distance = options.distanceUnit,
        options.energy.map({ $0.unit != .litre }) ?? false || options.volumeUnit != nil,
        let energy = options.energy
      else {
        errors.append(
          ImportError(
            line: section.header.line, column: nil,
            message:
              "the file has no units: add distanceUnit=km or mi, volumeUnit=L, usGallon or imperialGallon, and energy=petrol or another one"
          ))
        return
      }
      for row in section.rows {
        var raw = raw(row, section, options)
        raw.constants["energy"] = energy.json
        raw.constants["unit"] = (energy.unit == .litre ? options.volumeUnit ?? .litre : energy.unit).json
        raw.constants["full"] = .bool(true)
        raw.set(
          "odometer", section.column(where: LubeLogger.odometer.contains), of: row, .reading(times: distance.kilometers)
        )
        raw.set("quantity", quantity, of: row, .number(times: 1))
        raw.set("total", cost, of: row, .money)
        raw.set("full", section.column { ["isfilltofull", "filledup"].contains($0) }, of: row, .flag)
        raw.set("full", section.column("partialfuelup"), of: row, .noFlag)
        raw.set("missedPrevious", section.column { ["missedfuelup", "missed"].contains($0) }, of: row, .flag)
        raw.set("notes", section.column("notes"), of: row)
        rows.append(raw)
      }
    case .expenses:
      guard let title = section.column("description"), quantity == nil else {
        return refuse(kind, line: section.header.line)
      }
      for row in section.rows {
        var raw = raw(row, section, options)
        raw.set("amount", cost, of: row, .money)
        let texts = [title, section.column("notes")].compactMap { column in
          column.flatMap { $0 < row.cells.count ? row.cells[$0].trimmed : nil }
        }
        raw.constants["category"] = Self.category(texts).json
        raw.constants["notes"] = .text(texts.filter { !$0.isEmpty }.joined(separator: ": "))
        rows.append(raw)
      }
    case .vehicles, .drivers, .maintenanceRecords: refuse(kind, line: section.header.line)
    }
  }

  private func raw(_ row: CSVText.Row, _ section: Section, _ options: ImportOptions) -> RawRow {
    var raw = RawRow(line: row.line)
    if let vehicle = options.vehicle { raw.constants["vehicleId"] = .text(vehicle) }
    raw.set("at", section.column("date"), of: row, .time)
    return raw
  }
}
