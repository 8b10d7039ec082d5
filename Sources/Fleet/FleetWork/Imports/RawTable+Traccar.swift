import FleetDomain

/// Recognises the files of Traccar: JSON arrays from its API (`/api/devices`, `/api/drivers`, `/api/maintenance`,
/// `/api/reports/trips`, `/api/positions`), CSV files of positions, and spreadsheets of reports.
enum Traccar {
  /// The first cell of a report, in lower case.
  static let reportMark = "report type:"

  /// Returns the kind of things in a table with these columns; `nil` if it is not a table of Traccar.
  static func kind(of names: Set<String>) -> ImportKind? {
    if names.isSuperset(of: ["fixtime", "latitude", "longitude"]) { return .tracks }
    if names.isSuperset(of: ["starttime", "endtime"]), !names.isDisjoint(with: ["deviceid", "devicename"]) {
      return .trips
    }
    if names.isSuperset(of: ["name", "type", "start", "period"]) { return .serviceSchedules }
    guard names.isSuperset(of: ["id", "name", "uniqueid"]) else { return nil }
    return names.isDisjoint(with: ["status", "category", "disabled", "positionid", "lastupdate"]) ? .drivers : .vehicles
  }
}

/// Reads files of Traccar. Distances and odometers are in metres, speeds in knots, durations in milliseconds.
extension RawTable {
  mutating func readTraccar(_ lines: [CSVText.Row], _ options: ImportOptions) {
    if lines[0].cells[0].trimmed.lowercased() == Traccar.reportMark { return readReports(lines, options) }
    let section = Section(header: lines[0], rows: Array(lines.dropFirst()))
    guard let found = Traccar.kind(of: Set(section.names)), found == kind else {
      return refuse(line: section.header.line, has: [Traccar.kind(of: Set(section.names))].compactMap { $0 })
    }
    switch found {
    case .vehicles: readDevices(section)
    case .drivers:
      read(section) { table, row in
        _ = table.text(section.column("id"), of: row)
        var raw = RawRow(line: row.line)
        raw.set("name", section.column("name"), of: row)
        table.rows.append(raw)
      }
    case .serviceSchedules: readSchedules(section, options)
    case .trips: readTrips(section, options)
    default: readPositions(section.joiningAddresses, options)
    }
  }

  private mutating func readDevices(_ section: Section) {
    var seen: Set<String> = []
    read(section) { table, row in
      let name = table.text(section.column("name"), of: row)
      if !seen.insert(name).inserted {
        table.fail(row.line, section.column("name"), "another device has this name; give each one its own")
      }
      let notes = [
        ("uniqueid", "uniqueId"), ("phone", "phone"), ("contact", "contact"), ("category", "category"),
      ].compactMap { column, label -> String? in
        let text = table.text(section.column(column), of: row)
        return text.isEmpty ? nil : "\(label): \(text)"
      }
      var raw = RawRow(line: row.line)
      raw.set("id", section.column("name"), of: row)
      raw.constants["name"] = .text(name)
      raw.set("model", section.column("model"), of: row)
      if !notes.isEmpty { raw.constants["notes"] = .text("Traccar " + notes.joined(separator: ", ")) }
      table.rows.append(raw)
    }
  }

  private mutating func readSchedules(_ section: Section, _ options: ImportOptions) {
    read(section) { table, row in
      let (type, name) = (
        table.text(section.column("type"), of: row), table.text(section.column("name"), of: row)
      )
      let (start, period) = (section.column("start"), section.column("period"))
      let meter: (every: String, last: String, factor: ExactDecimal)? =
        switch type {
        case "totalDistance", "odometer", "serviceOdometer": ("every.kilometers", "lastService.odometer", .thousandth)
        case "hours": ("every.engineHours", "lastService.engineHours", .hoursPerMillisecond)
        default: nil
        }
      guard let meter else {
        return table.skip(
          row, "a maintenance by \(JSON.text(type).summary); the server has schedules by distance and hours")
      }
      var raw = table.new(row, options)
      raw.constants["serviceType"] = .text(ImportWords.serviceType([name]))
      raw.constants["name"] = .text(name)
      raw.constants["basis"] = ServiceSchedule.Basis.fixed.json
      raw.set(meter.every, period, of: row, .number(times: meter.factor))
      // The first service is due at `start`, so the cycle before it began one period earlier.
      let (first, length) = (
        ExactDecimal(table.text(start, of: row)), ExactDecimal(table.text(period, of: row))
      )
      if let first = first?.units(ofScale: 3), let length = length?.units(ofScale: 3), first >= length {
        let last = ExactDecimal(digits: Int128(first - length), scale: 3).multiplied(by: meter.factor)?.rounded(
          toScale: 6)
        let key = String(meter.last.split(separator: ".")[1])
        if let last, let value = Double(last.text) { raw.constants["lastService"] = .object([key: value.json]) }
      }
      table.rows.append(raw)
    }
  }

  private mutating func readTrips(_ section: Section, _ options: ImportOptions) {
    read(section) { table, row in
      _ = table.text(section.column("deviceid"), of: row)
      _ = table.text(section.column("duration"), of: row)
      _ = table.text(section.column("averagespeed"), of: row)
      var raw = table.new(row, options)
      raw.vehicleNames = [table.text(section.column("devicename"), of: row)].filter { !$0.isEmpty }
      for (key, column, meaning) in [
        ("startTime", "starttime", CellMeaning.time), ("endTime", "endtime", .time),
        ("distance", "distance", .number(times: .thousandth)), ("maxSpeed", "maxspeed", .number(times: .nauticalMile)),
        ("fuelUsed", "spentfuel", .reading(times: .one)),
        ("startOdometer", "startodometer", .reading(times: .thousandth)),
        ("endOdometer", "endodometer", .reading(times: .thousandth)),
      ] { raw.set(key, section.column(column), of: row, meaning) }
      table.rows.append(raw)
    }
  }

  private mutating func readPositions(_ section: Section, _ options: ImportOptions) {
    read(section) { table, row in
      for name in ["id", "deviceid", "servertime", "devicetime"] { _ = table.text(section.column(name), of: row) }
      let place = ["latitude", "longitude"].map { table.text(section.column($0), of: row) }
      if Forms.flag(table.text(section.column("valid"), of: row)) == false {
        return table.skip(row, "a position that the device reports as invalid")
      }
      if place.contains(where: \.isEmpty) { return table.skip(row, "a row without a position") }
      var raw = table.new(row, options)
      raw.vehicleNames = [table.text(section.column("devicename"), of: row)].filter { !$0.isEmpty }
      for (key, column, meaning) in [
        ("timestamp", "fixtime", CellMeaning.time), ("latitude", "latitude", .number),
        ("longitude", "longitude", .number), ("altitude", "altitude", .number), ("heading", "course", .number),
        ("gpsSpeed", "speed", .number(times: .nauticalMile)), ("satellites", "sat", .number), ("hdop", "hdop", .number),
      ] {
        // In JSON, further values are members of `attributes`.
        raw.set(key, section.column(column, "attributes.\(column)"), of: row, meaning)
      }
      table.rows.append(raw)
    }
  }

  // MARK: Reports

  /// Reads spreadsheets of reports. Each sheet has a head with the name of the device, then a table.
  private mutating func readReports(_ lines: [CSVText.Row], _ options: ImportOptions) {
    let starts = lines.indices.filter { lines[$0].cells[0].trimmed.lowercased() == Traccar.reportMark }
    for (place, start) in starts.enumerated() {
      let sheet = lines[start..<(place + 1 < starts.count ? starts[place + 1] : lines.count)]
      func head(_ name: String) -> String {
        let row = sheet.first { $0.cells[0].trimmed.lowercased() == name }
        return row?.cells.dropFirst().map(\.trimmed).first { !$0.isEmpty } ?? ""
      }
      let report = head(Traccar.reportMark)
      guard let header = sheet.firstIndex(where: { !$0.cells[0].trimmed.hasSuffix(":") }) else { continue }
      let section = Section(title: report, header: sheet[header], rows: Array(sheet[(header + 1)...]))
      let names = Set(section.names)
      let found: ImportKind? =
        names.isSuperset(of: ["start", "end", "length"])
        ? .trips : names.isSuperset(of: ["time", "latitude", "longitude"]) ? .tracks : nil
      guard found == kind else {
        report == "" || found == nil
          ? fail(section.header.line, nil, "the server has no import for the report \(JSON.text(report).summary)")
          : refuse(line: section.header.line, has: [found].compactMap { $0 })
        continue
      }
      let device = head("device:")
      kind == .trips ? readReportedTrips(section, device, options) : readRoute(section, device, options)
    }
  }

  private mutating func readReportedTrips(_ section: Section, _ device: String, _ options: ImportOptions) {
    read(section) { table, row in
      for name in ["duration", "average speed"] { _ = table.text(section.column(name), of: row) }
      var raw = table.new(row, options)
      raw.vehicleNames = [device].filter { !$0.isEmpty }
      raw.set("startTime", section.column("start"), of: row, .time)
      raw.set("endTime", section.column("end"), of: row, .time)
      for (key, name, isReading) in [
        ("distance", "length", false), ("maxSpeed", "top speed", false), ("fuelUsed", "spent fuel", true),
        ("startOdometer", "start odometer", true), ("endOdometer", "end odometer", true),
      ] { table.setMeasure(key, section.column(name), of: row, isReading, &raw) }
      table.rows.append(raw)
    }
  }

  private mutating func readRoute(_ section: Section, _ device: String, _ options: ImportOptions) {
    read(section) { table, row in
      if Forms.flag(table.text(section.column("valid"), of: row)) == false {
        return table.skip(row, "a position that the device reports as invalid")
      }
      var raw = table.new(row, options)
      raw.vehicleNames = [device].filter { !$0.isEmpty }
      raw.set("timestamp", section.column("time"), of: row, .time)
      for key in ["latitude", "longitude", "altitude"] { raw.set(key, section.column(key), of: row, .number) }
      table.setMeasure("gpsSpeed", section.column("speed"), of: row, false, &raw)
      table.rows.append(raw)
    }
  }

  /// Sets a number that is written with its unit, such as `12.3 km`.
  private mutating func setMeasure(
    _ key: String, _ column: Int?, of row: CSVText.Row, _ isReading: Bool, _ raw: inout RawRow
  ) {
    let text = text(column, of: row)
    guard let column, !text.isEmpty else { return }
    let parts = text.split(separator: " ", maxSplits: 1)
    let units: [String: ExactDecimal] = [
      "km": .one, "mi": .mile, "nmi": .nauticalMile, "km/h": .one, "mph": .mile, "kn": .nauticalMile, "l": .one,
      "U.S. Gal": .usGallon, "Imp. Gal": .imperialGallon,
    ]
    guard parts.count == 2, let factor = units[String(parts[1]).trimmed] else {
      return fail(
        row.line, column, "expected a number with a unit such as km, mph or l, found \(JSON.text(text).summary)")
    }
    raw.cells[key] = RawCell(
      text: String(parts[0]), column: column + 1,
      meaning: isReading ? .reading(times: factor) : .number(times: factor))
  }
}

extension Section {
  /// The same section, but with each address in one cell. Traccar writes addresses that contain commas without quotes,
  /// so that an address takes several cells and the cells after it are shifted.
  fileprivate var joiningAddresses: Section {
    guard let address = column("address") else { return self }
    let joined = rows.map { row in
      let extra = row.cells.count - header.cells.count
      guard extra > 0 else { return row }
      var changed = row
      changed.cells.replaceSubrange(
        address...(address + extra), with: [row.cells[address...(address + extra)].joined(separator: ", ")])
      return changed
    }
    return Section(name: name, title: title, header: header, rows: joined)
  }
}
