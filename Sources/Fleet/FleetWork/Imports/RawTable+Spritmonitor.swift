import FleetDomain

/// The names of columns in exports of Spritmonitor, in lower case.
enum Spritmonitor {
  static let names: Set = ["datum", "km-stand", "spritmenge"]

  /// Returns the energy for a code in the column `Kraftstoff`; `nil` for other codes.
  static func energy(_ code: String) -> FuelEntry.Energy? {
    switch code {
    case "1": .diesel
    case "7", "8", "20": .petrol
    case "12": .lpg
    case "19": .electric
    default: nil
    }
  }
}

/// Reads exports of fills from Spritmonitor. Cells are separated by semicolons, and numbers have decimal commas. The
/// encoding is often Windows-1252.
///
///     Datum;Km-Stand;Teil-Km;Spritmenge;Kosten;Währung;Tankart;Reifen;Strecken;Fahrweise;Kraftstoff;Bemerkung;…
extension RawTable {
  mutating func readSpritmonitor(_ section: Section, _ options: ImportOptions) {
    guard kind == .fuelEntries else { return refuse(line: section.header.line, has: [.fuelEntries]) }
    dates = .dayFirst
    let distance = options.distanceUnit ?? .kilometer
    let places = ["tankstelle", "ort"].compactMap { section.column($0) }
    read(section) { table, row in
      var raw = table.new(row, options)
      let code = table.text(section.column("kraftstoff"), of: row)
      if let energy = options.energy ?? Spritmonitor.energy(code) { raw.constants["energy"] = energy.json }
      if let volume = options.volumeUnit { raw.constants["unit"] = volume.json }
      let currency = table.text(section.column("währung"), of: row).uppercased()
      if !currency.isEmpty { raw.currency = currency }
      let fill = table.text(section.column("tankart"), of: row)
      switch fill {
      case "1", "3": raw.constants["full"] = .bool(true)
      case "", "2": break
      // The consumption until this fill is not known.
      case "0": raw.constants["missedPrevious"] = .bool(true)
      default:
        table.fail(row.line, section.column("tankart"), "expected 0, 1, 2 or 3, found \(JSON.text(fill).summary)")
      }
      raw.set("at", section.column("datum"), of: row, .time)
      raw.set("odometer", section.column("km-stand"), of: row, .reading(times: distance.kilometers))
      raw.set("quantity", section.column("spritmenge"), of: row, .number)
      raw.set("total", section.column("kosten"), of: row, .money)
      let place = places.map { table.text($0, of: row) }.filter { !$0.isEmpty }
      if !place.isEmpty { raw.constants["place"] = .text(place.joined(separator: ", ")) }
      raw.set("notes", section.column("bemerkung"), of: row)
      table.rows.append(raw)
    }
  }
}
