import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetWork

@Suite struct CSVTextTests {
  private static func cells(_ text: String) throws -> [[String]] { try CSVText(Array(text.utf8)).rows.map(\.cells) }

  @Test func quotes_line_ends_and_separators() throws {
    #expect(try Self.cells("a,b\r\n1,\"x, \"\"y\"\"\"\r\n") == [["a", "b"], ["1", "x, \"y\""]])
    #expect(try Self.cells("a;b\n1;2,5") == [["a", "b"], ["1", "2,5"]])
    #expect(try Self.cells("a\tb\r1\t\"2\n3\"\r") == [["a", "b"], ["1", "2\n3"]])
    #expect(try Self.cells("a , b\n\" 1 \", 2 ") == [["a", "b"], [" 1 ", "2"]])
    #expect(try Self.cells("") == [])
  }

  @Test func lines_are_counted_inside_quotes() throws {
    let rows = try CSVText(Array("a,b\n\"1\r\n2\",x\n3,y\n".utf8)).rows
    #expect(rows.map(\.line) == [1, 2, 4])
    #expect(throws: ImportError(line: 3, column: 2, message: "expected the closing quote of a cell, found the end")) {
      try CSVText(Array("a,b\n1,2\n3,\"x\n4,5\n".utf8))
    }
  }

  @Test func older_programs_write_windows_1252() throws {
    #expect(try CSVText([0x4D, 0xFC, 0x2C, 0x80]).rows.map(\.cells) == [["Mü", "€"]])
    #expect(try CSVText([0xEF, 0xBB, 0xBF, 0x61]).rows.map(\.cells) == [["a"]])
  }
}

@Suite struct ExactDecimalTests {
  @Test func products_and_sums_have_all_digits() throws {
    func number(_ text: String) throws -> ExactDecimal { try #require(ExactDecimal(text)) }
    #expect(try number("45.35").text == "45.35" && number("-0.05").text == "-0.05" && number("7").text == "7")
    #expect(try number("212477.1").multiplied(by: .mile)?.text == "341948.7460224")
    #expect(try number("1.00005").rounded(toScale: 4).text == "1.0001")
    #expect(try number("-1.00005").rounded(toScale: 4).text == "-1.0001")
    // 1.005 is less than 1.005 in binary, and would be rounded down.
    #expect(try number("1.005").units(ofScale: 2) == 101)
    #expect(try number("29.62962962962962962962962963").units(ofScale: 3) == 29_630)
    for text in ["", "-", "1.2.3", "1e3", "a", String(repeating: "9", count: 40)] { #expect(ExactDecimal(text) == nil) }
  }
}

@Suite struct ImportTextTests {
  @Test(arguments: [
    ("1,234.50", DecimalMark.point, "1234.50"), ("1.234,50 €", .comma, "1234.50"), ("$1,234.56", .point, "1234.56"),
    ("¤145.00", .point, "145.00"), ("40,5", .comma, "40.5"), ("-7", .point, "-7"), ("EUR 12", .comma, "12"),
    ("1'234.5", .point, "1234.5"), ("007", .point, "7"), (".5", .point, "0.5"), ("1.234.567", .comma, "1234567"),
  ])
  func numbers_are_read_with_either_decimal_mark(_ text: String, _ mark: DecimalMark, _ expected: String) {
    #expect(ImportNumber.decimal(text, mark) == expected)
  }

  @Test(arguments: ["", "abc", "1.2.3", "12a34b56", "1-2", "--1"])
  func text_that_is_no_number_is_rejected(_ text: String) { #expect(ImportNumber.decimal(text, .point) == nil) }

  @Test func a_number_shows_its_decimal_mark() {
    for (text, mark) in [
      ("1,234.5", DecimalMark.point), ("1.234,5", .comma), ("1,5", .comma), ("1.5", .point), ("1,234,567", .point),
      ("0,123", .comma), ("1,969", nil), ("12.345", nil), ("7", nil), ("x", nil), ("2.20.30", nil),
    ] as [(String, DecimalMark?)] {
      #expect(ImportNumber.mark(in: text) == mark, "\(text)")
    }
    #expect(ImportNumber.isAmbiguous("1,969") && !ImportNumber.isAmbiguous("7") && !ImportNumber.isAmbiguous("1,9"))
  }

  @Test(arguments: [
    ("2024-03-10 16:01", "2024-03-10T16:01:00.000Z"), ("06.10.2026", "2026-10-06T00:00:00.000Z"),
    ("19/1/2024", "2024-01-19T00:00:00.000Z"), ("1/19/2024 8:12:00 PM", "2024-01-19T20:12:00.000Z"),
    ("2026-09-15 9:05", "2026-09-15T09:05:00.000Z"), ("12/31/2024 12:00 AM", "2024-12-31T00:00:00.000Z"),
  ])
  func dates_are_read_in_each_supported_form(_ text: String, _ expected: String) throws {
    let date = try #require(ImportDate(text))
    #expect(!date.isAmbiguous && date.time(date.order ?? .dayFirst)?.string == expected)
  }

  @Test(arguments: ["", "2024", "1/2/24", "2024-03-10 25:00", "2024-03-10 1:60", "x/y/2024"])
  func text_that_is_no_date_is_rejected(_ text: String) { #expect(ImportDate(text) == nil) }

  @Test func ambiguous_dates_are_noticed() throws {
    #expect(ImportDate("3/7/2024")?.isAmbiguous == true && ImportDate("7/7/2024")?.isAmbiguous == false)
    #expect(try #require(ImportDate("31/2/2024")).day(.dayFirst) == nil)
  }
}

/// Reads a file as another program writes it.
@Suite struct ImportFileTests {
  private static func file(
    _ text: String, _ kind: ImportKind, _ set: (inout ImportOptions) -> Void = { _ in }
  ) throws -> ImportFile {
    var options = ImportOptions()
    set(&options)
    return ImportFile(try CSVText(Array(text.utf8)), kind, options)
  }

  @Test func the_own_format_has_the_keys_of_the_fields() throws {
    let file = try Self.file(
      """
      vehicleId,at,energy,quantity,unit,full,total.amount,total.currency,createdAt,standardQuantity
      VAN-1,2026-05-04T10:00:00Z,diesel,41.3,L,true,62.37,EUR,2026-05-04T10:00:00Z,41.3
      """, .fuelEntries)
    #expect(file.errors.isEmpty && file.format == .own)
    let entry = try FuelEntry(client: .object(try #require(file.rows.first).values))
    #expect(entry.quantity == 41.3 && entry.isFull && entry.total == Money(amount: "62.37", currency: "EUR"))
    let drivers = try Self.file("name,licenceClasses,licenceExpiry\nDora,B;CE,2031-05-04\n", .drivers)
    let driver = try Driver(client: .object(try #require(drivers.rows.first).values))
    #expect(driver.licenceClasses == ["B", "CE"] && driver.licenceExpiry == CalendarDate("2031-05-04"))
  }

  @Test func errors_have_their_line_and_column() throws {
    let file = try Self.file(
      "vehicleId,at,energy,quantity,colour\nVAN-1,tomorrow,diesel,many,red\nVAN-1,2026-05-04,diesel,1,red,6\n",
      .fuelEntries)
    #expect(file.errors.map(\.line) == [1, 2, 2, 3] && file.errors.map(\.column) == [5, 2, 4, 6])
    #expect(file.errors[2].message == #"expected a number, found "many""#)
    #expect(file.rows.isEmpty)
    let row = ImportRow(line: 2, values: [:], columns: ["quantity": 4])
    #expect(row.error("quantity", "x") == ImportError(line: 2, column: 4, message: "x"))
    #expect(row.error("notes", "x") == ImportError(line: 2, column: nil, message: "notes: x"))
  }

  private static let fuelio = #"""
    "## Vehicle"
    "Name","Description","DistUnit","FuelUnit","VIN","Plate","Make","Model","Year","Tank1Type","Tank2Type","Tank1Capacity","FuelUnitTank2"
    "Z3","","1","1","","AB12","BMW","Z3","1997","100","400","51.0","0"
    "## Log"
    "Data","Odo (mi)","Fuel (us gallons)","Full","Price (optional)","City (optional)","Notes (optional)","Missed","TankNumber","FuelType","VolumePrice"
    "2024-03-10 16:01","1000.0","10.5","1","67.09","Rome","a ""b""","0","1","-1","1.449"
    "2024-03-11 16:01","0","20","0","20","","","1","2","0","1"
    "2024-03-12","abc","20","0","20","","","1","1","110","1"
    "## CostCategories"
    "CostTypeID","Name"
    "5","Parking"
    "## Costs"
    "CostTitle","Date","CostTypeID","Notes","Cost","isTemplate","isIncome"
    "Centre","2024-03-10","5","night","4.5","0","0"
    "Refund","2024-03-10","5","","4.5","0","1"
    "Yearly","2024-03-10","5","","4.5","1","0"
    """#

  @Test func a_backup_of_fuelio_is_converted() throws {
    let fuel = try Self.file(Self.fuelio, .fuelEntries) { options in
      options.vehicle = "VAN-1"
      options.currency = "GBP"
    }
    #expect(fuel.format == .fuelio && fuel.errors.map(\.line) == [8] && fuel.errors.map(\.column) == [2])
    let entries = try fuel.rows.map { try FuelEntry(client: .object($0.values)) }
    #expect(entries[0].odometer == 1_609.344 && entries[0].unit == .usGallon && entries[0].energy == .petrol)
    #expect(entries[0].total == Money(amount: "67.09", currency: "GBP") && entries[0].isFull)
    #expect(entries[0].at.string == "2024-03-10T16:01:00.000Z" && entries[0].notes == "a \"b\"")
    #expect(entries[1].energy == .lpg && entries[1].unit == .litre && entries[1].odometer == nil)
    #expect(entries[1].missedPrevious && !entries[1].isFull)
    let costs = try Self.file(Self.fuelio, .expenses) { $0.currency = "GBP" }
    #expect(costs.skipped.map(\.line) == [15, 16] && costs.rows.count == 1)
    let expense = try Expense(client: .object(costs.rows[0].values))
    #expect(expense.category == .parking && expense.notes == "Centre: night" && expense.amount?.amount == "4.5")
    let vehicles = try Self.file(Self.fuelio, .vehicles)
    let vehicle = try Vehicle(client: .object(try #require(vehicles.rows.first).values))
    #expect(vehicle.id == "AB12" && vehicle.modelYear == 1997 && vehicle.tankCapacity == 51)
    #expect(try Self.file(Self.fuelio, .drivers).errors.count == 1)
    // Without a currency, each amount is an error.
    #expect(try Self.file(Self.fuelio, .expenses).errors.map(\.column) == [5])
  }

  @Test func the_vehicle_determines_the_energy_of_a_fill_of_fuelio_without_a_type() throws {
    func file(tank: String, fill: String) throws -> ImportFile {
      let text = """
        "## Vehicle"
        "Name","DistUnit","FuelUnit","Tank1Type"
        "Z3","0","0","\(tank)"
        "## Log"
        "Data","Odo (km)","Fuel (litres)","Full","TankNumber","FuelType"
        "2024-03-10 16:01","1000.0","10.5","1","1","\(fill)"
        """
      var file = try Self.file(text, .fuelEntries) { $0.vehicle = "VAN-1" }
      file.complete(.fuelEntries, vehicles: [:], energies: ["VAN-1": .electric])
      return file
    }
    for (tank, fill) in [("", ""), ("0", "-1"), ("-1", "0")] {
      let read = try file(tank: tank, fill: fill)
      #expect(read.errors.isEmpty, "\(read.errors)")
      var entry = try FuelEntry(client: .object(try #require(read.rows.first).values))
      try entry.complete()
      #expect(entry.energy == .electric && entry.unit == .kilowattHour && entry.quantity == 10.5)
    }
    // The file states a type that is unknown.
    for (tank, fill) in [("", "500"), ("500", "-1"), ("", "Kerosene")] {
      #expect(try file(tank: tank, fill: fill).errors.map(\.line) == [6])
    }
    #expect(try file(tank: "", fill: "210").rows.first?.values["energy"] == FuelEntry.Energy.diesel.json)
  }

  @Test func columns_that_are_not_imported_have_the_right_reason() throws {
    let failed = try Self.file(
      """
      "## Log"
      "Data","Odo (km)","Fuel (litres)","TankNumber","FuelType"
      "2024-03-10 16:01","1000.0","10.5","1","500"
      """, .fuelEntries)
    #expect(failed.errors.map(\.line) == [3] && failed.rest.isEmpty, "\(failed.rest)")
    // The server accepts the odometer of a vehicle in a request.
    let vehicles = try Self.file("id,odometer\nVAN-1,48210\n", .vehicles)
    #expect(vehicles.errors.isEmpty && vehicles.rest.map(\.columns) == [["odometer"]])
    #expect(vehicles.rest.first?.message.contains("an import does not set them") == true, "\(vehicles.rest)")
  }

  @Test func the_vehicle_or_the_request_determines_the_energy_of_the_own_format() throws {
    let id = "01890a5d-ac96-774b-bcce-b302099a8057"
    let text = """
      id,vehicleId,at,energy,quantity
      ,VAN-1,2026-05-04T10:00:00Z,,41
      ,VAN-1,2026-05-05T10:00:00Z,lpg,42
      \(id),VAN-1,2026-05-06T10:00:00Z,,43
      ,VAN-2,2026-05-07T10:00:00Z,,44
      """
    var file = try Self.file(text, .fuelEntries)
    file.complete(.fuelEntries, vehicles: [:], energies: ["VAN-1": .diesel])
    // The row with an id keeps the energy of the stored entry. The fuel type of VAN-2 is unknown.
    #expect(file.rows.map { $0.values["energy"]?.textValue } == ["diesel", "lpg", nil])
    #expect(file.errors.map(\.line) == [5] && file.errors[0].message.contains("energy=petrol"), "\(file.errors)")
    let named = try Self.file(text, .fuelEntries) { $0.energy = .petrol }
    #expect(named.rows.map { $0.values["energy"]?.textValue } == ["petrol", "lpg", nil, "petrol"])
  }

  @Test func drivvo_with_commas_in_numbers_and_names_in_another_language() throws {
    let text = """
      ##Refuelling;;;;;;;;;;;;;;;;;;;;;;;;;;;;;
      Odômetro (km);Data;Combustível;Preço / L;Valor total;Volume;Completou o tanque;Segundo combustível;Preço / L;Valor total;Volume;Completou o tanque 2;Terceiro combustível;Preço / L;Valor total;Volume;Completou o tanque 3;Média;Distância;Observação
      1234;2026-09-15 9:05;Gas. Comum;1,969;89,64;45,527;Sim;Etanol;0;0;0;Não;;0;0;0;Não;;;
      """
    let file = try Self.file(text, .fuelEntries) { options in
      options.vehicle = "VAN-1"
      options.currency = "BRL"
    }
    #expect(file.errors.isEmpty && file.format == .drivvo, "\(file.errors)")
    let entry = try FuelEntry(client: .object(try #require(file.rows.first).values))
    #expect(file.rows.count == 1 && entry.quantity == 45.527 && entry.odometer == 1234 && entry.isFull)
    #expect(entry.price?.amount == "1.969" && entry.energy == .petrol && entry.at.string == "2026-09-15T09:05:00.000Z")
  }

  @Test func lubelogger_needs_the_units_that_it_does_not_write() throws {
    let text =
      "\u{FEFF}Date,Odometer,FuelConsumed,Cost,IsFillToFull,MissedFuelUp,Notes\n"
      + "1/19/2024,45530,10.8,\"$1,038.45\",True,False,Highway\n2/2/2024,0,4.2,15.10,False,True,\n"
    #expect(try Self.file(text, .fuelEntries).errors.map(\.line) == [1])
    let file = try Self.file(text, .fuelEntries) { options in
      options.energy = .petrol
      options.distanceUnit = .mile
      options.volumeUnit = .usGallon
      options.currency = "USD"
      options.vehicle = "VAN-1"
    }
    #expect(file.errors.isEmpty, "\(file.errors)")
    let entries = try file.rows.map { try FuelEntry(client: .object($0.values)) }
    #expect(entries[0].at.string == "2024-01-19T00:00:00.000Z" && entries[1].at.string == "2024-02-02T00:00:00.000Z")
    #expect(entries[0].total == Money(amount: "1038.45", currency: "USD") && entries[1].odometer == nil)
    #expect(entries[0].isFull && entries[1].missedPrevious)
    // If dates are possible in both orders, the order is not guessed.
    let tax = "Date,Description,Cost,Notes,Tags\n03/07/2024,Bollo,145.00,,\n"
    #expect(try Self.file(tax, .expenses) { $0.currency = "EUR" }.errors.map(\.column) == [1])
    let read = try Self.file(tax, .expenses) { options in
      options.currency = "EUR"
      options.dates = .dayFirst
    }
    #expect(try Expense(client: .object(try #require(read.rows.first).values)).at.string == "2024-07-03T00:00:00.000Z")
    #expect(try Expense(client: .object(try #require(read.rows.first).values)).category == .tax)
  }

  @Test func the_order_of_dates_is_the_same_in_the_whole_file() throws {
    func file(_ last: String, _ kind: ImportKind, _ set: (inout ImportOptions) -> Void = { _ in }) throws -> ImportFile
    {
      let text = """
        ##Refuelling
        Odometer,Date,Fuel type,Volume price,Total price,Fuel amount,Full fillup
        100,1/2/2024,petrol,1.50,45.35,30.25,Yes
        ##Expense
        Odometer,Date,Cost,Title
        100,\(last),45.35,Parking
        """
      return try Self.file(text, kind) { options in
        options.currency = "EUR"
        options.vehicle = "VAN-1"
        set(&options)
      }
    }
    for (last, at) in [("13/2/2024", "2024-02-01T00:00:00Z"), ("2/13/2024", "2024-01-02T00:00:00Z")] {
      let fuel = try file(last, .fuelEntries)
      #expect(fuel.errors.isEmpty && fuel.rows.first?.values["at"] == .text(at), "\(fuel.errors)")
      #expect(fuel.rows.first?.values["quantity"] == .number(30.25))
      #expect(fuel.rows.first?.values["total"]?["amount"] == .text("45.35"))
      #expect(try file(last, .expenses).errors.isEmpty)
    }
    // The option takes precedence. A date that is impossible then is an error instead of another day.
    #expect(
      try file("13/2/2024", .fuelEntries) { $0.dates = .monthFirst }.rows.first?.values["at"]
        == .text("2024-01-02T00:00:00Z"))
    #expect(try file("13/2/2024", .expenses) { $0.dates = .monthFirst }.errors.map(\.column) == [2])
    #expect(try file("3/2/2024", .fuelEntries).errors.map(\.column) == [2])
  }

  @Test func local_times_become_utc() throws {
    let zone = try #require(Self.vienna)
    let file = try Self.file(
      "vehicleId,at,energy,quantity\nV,2026-07-01 10:00,diesel,45.35\nV,2026-01-01 10:00,diesel,1\n", .fuelEntries
    ) {
      $0.zone = zone
    }
    #expect(
      file.rows.map { $0.values["at"] } == [.text("2026-07-01T08:00:00Z"), .text("2026-01-01T09:00:00Z")],
      "\(file.errors)")
  }

  private static var vienna: ZoneRules? {
    (try? Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/Europe/Vienna"))).flatMap {
      ZoneRules(tzif: Array($0))
    }
  }

  @Test func a_charge_of_teslafi_is_one_entry() throws {
    let text = """
      data_id,Date,vin,battery_level,odometer,chargeNumber,charge_energy_added,latitude,longitude,speed
      1,"2026-05-04 10:00:00",V1,50,1000.5,7,1.25,48.1,16.1,None
      2,"2026-05-04 10:01:00",V1,51,1000.5,7,2.5,48.1,16.1,<invalid>
      3,"2026-05-04 12:00:00",V1,51,1001,0,2.5,None,None,
      4,"2026-05-04 13:00:00",V1,100,1001,8,30.35,48.2,16.2,5
      """
    let charges = try Self.file(text, .fuelEntries)
    #expect(
      charges.rows.map(\.line) == [3, 5]
        && charges.rows.map { $0.values["quantity"] } == [.number(2.5), .number(30.35)])
    #expect(charges.rows.map { $0.values["full"] } == [.bool(false), .bool(true)])
    #expect(charges.rows[0].vehicleNames == ["V1"] && charges.rows[0].values["odometer"] == .number(1_610.148672))
    #expect(charges.rest.compactMap(\.rows) == [2])
    let positions = try Self.file(text, .tracks)
    #expect(positions.rows.count == 3 && positions.rest.compactMap(\.rows) == [1], "\(positions.errors)")
    #expect(positions.rows[2].values["gpsSpeed"] == .number(8.04672))
    #expect(try Self.file(text, .vehicles).rows.map { $0.values["vin"] } == [.text("V1")])
  }
}
