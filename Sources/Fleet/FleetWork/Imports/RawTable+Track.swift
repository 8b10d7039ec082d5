import FleetDomain

/// Tables of positions, as apps for phones write them.
enum Track {
  static let latitude: Set = ["lat", "latitude", "latitudee7"]
  static let longitude: Set = ["lon", "lng", "long", "longitude", "longitudee7"]
  static let time: Set = ["time", "timestamp", "date", "datetime", "date time"]

  static func hasPositions(_ names: Set<String>) -> Bool {
    !names.isDisjoint(with: latitude) && !names.isDisjoint(with: longitude)
  }
}

/// Reads tables of positions. The unit of a speed is known only if the name of the column contains it, or if GPSLogger
/// wrote the file: its speeds are in m/s.
///
///     time,lat,lon,elevation,accuracy,bearing,speed,satellites,provider,activity,battery
extension RawTable {
  mutating func readTrack(_ section: Section, _ options: ImportOptions) {
    guard kind == .tracks else { return refuse(line: section.header.line, has: [.tracks]) }
    guard let time = section.column(where: Track.time.contains) else {
      return fail(section.header.line, nil, "expected a column with times, such as time or timestamp")
    }
    let latitude = section.column(where: Track.latitude.contains)
    let longitude = section.column(where: Track.longitude.contains)
    func factor(_ column: Int?) -> CellMeaning {
      .number(times: column.map { section.names[$0].hasSuffix("e7") } ?? false ? .e7 : .one)
    }
    // GPSLogger and exports of GPX name these columns in the same way.
    let isGPSLogger = Set(section.names).isSuperset(of: ["time", "lat", "lon", "elevation", "accuracy"])
    let speeds: [(Int?, ExactDecimal)] = [
      (section.column("speed_kmh", "speed (km/h)", "gpsspeed"), .one),
      (section.column("speed_ms", "speed (m/s)"), .metersPerSecond),
      (section.column("speed (mph)", "speed_mph"), .mile), (section.column("speed (kn)", "speed_kn"), .nauticalMile),
      (isGPSLogger ? section.column("speed") : nil, .metersPerSecond),
    ]
    read(section) { table, row in
      if [latitude, longitude].contains(where: { table.text($0, of: row).isEmpty }) {
        return table.skip(row, "a row without a position")
      }
      if table.text(time, of: row).isEmpty { return table.skip(row, "a position without a time") }
      var raw = table.new(row, options)
      // The name of a track may be any text. It is used as a vehicle's name only if the options contain no vehicle.
      let name = table.text(section.column("devicename"), of: row)
      if options.vehicle == nil, !name.isEmpty { raw.vehicleNames = [name] }
      raw.set("timestamp", time, of: row, .time)
      raw.set("latitude", latitude, of: row, factor(latitude))
      raw.set("longitude", longitude, of: row, factor(longitude))
      raw.set("altitude", section.column("elevation", "ele", "altitude", "alt"), of: row, .number)
      raw.set("heading", section.column("bearing", "heading", "course"), of: row, .number)
      raw.set("satellites", section.column("satellites", "sat"), of: row, .number)
      raw.set("hdop", section.column("hdop"), of: row, .number)
      if let (column, factor) = speeds.first(where: { $0.0 != nil }) {
        raw.set("gpsSpeed", column, of: row, .number(times: factor))
      }
      table.rows.append(raw)
    }
  }
}

/// The columns of positions in the server's own format.
enum ImportedPosition {
  static let columns: [String: CellMeaning] = [
    "vehicleId": .text, "timestamp": .time, "latitude": .number, "longitude": .number, "altitude": .number,
    "heading": .number, "gpsSpeed": .number, "speed": .number, "satellites": .number, "hdop": .number,
  ]
}

/// The columns of trips in the server's own format.
enum ImportedTrip {
  static let columns: [String: CellMeaning] = [
    "vehicleId": .text, "startTime": .time, "endTime": .time, "distance": .number, "startOdometer": .number,
    "endOdometer": .number, "fuelUsed": .number, "idleSeconds": .number, "maxSpeed": .number,
  ]
}
