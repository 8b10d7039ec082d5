import FleetDomain
import FleetStorageTestKit
import FleetWork
import Foundation
import JSONText
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Lists as files, which Python's `csv` and openpyxl read.
@Suite struct ExportTests {
  /// Returns the rows of a file as an independent reader finds them: JSON arrays, the header first, the rows of all
  /// sheets together.
  static func rows(_ bytes: [UInt8], _ format: ExportFormat) throws -> [[Any]] {
    let scratch = try ScratchFolder()
    let path = scratch.file("list.\(format.rawValue)")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let script =
      switch format {
      case .csv:
        "import csv,json,sys\nprint(json.dumps(list(csv.reader(open(sys.argv[1],newline='',encoding='utf-8'),strict=True))))"
      case .xlsx:
        """
        import json,sys,openpyxl,zipfile
        assert zipfile.ZipFile(sys.argv[1]).testzip() is None
        book=openpyxl.load_workbook(sys.argv[1])
        print(json.dumps([[c for c in row] for sheet in book for row in sheet.iter_rows(values_only=True)]))
        """
      }
    let result = try Tool.run(try Tool.python(with: "openpyxl"), ["-c", script, path])
    guard result.status == 0 else { throw TestClient.Failure(description: result.errors) }
    return try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[Any]] ?? []
  }

  private static let texts = [
    "plain", "a,b", "a\"b", "a\r\nb", " spaces ", "=1+2", "+1", "-1", "@x", "\t=x", "", "Größe €", "<&>", "'quoted'",
    "\u{FF1D}1", "😀", "x;=1+1", "a;-1;'b;'=c;\u{FF20}d", "'+49 170", "5;7", "a;\n@b",
  ]
  /// Texts that a spreadsheet could evaluate as formulas, as they are written to CSV.
  private static let guarded = [
    "=1+2": "'=1+2", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\t=x": "'\t=x", "\u{FF1D}1": "'\u{FF1D}1",
    "x;=1+1": "x;'=1+1", "a;-1;'b;'=c;\u{FF20}d": "a;'-1;'b;''=c;'\u{FF20}d", "'+49 170": "''+49 170",
    "a;\n@b": "a;\n'@b",
  ]

  @Test(arguments: ExportFormat.allCases)
  func independent_readers_see_the_values(_ format: ExportFormat) async throws {
    try await runBlocking {
      let columns = ["text", "number", "flag", "none"].map { ExportColumn(path: [$0]) }
      var writer = try format.writer(columns)
      var bytes = try writer.begin()
      for (index, text) in Self.texts.enumerated() {
        bytes += try writer.add([.text(text), .number("\(Double(index) - 2.5)"), .flag(index % 2 == 0), .empty])
      }
      bytes += try writer.finish()
      let rows = try Self.rows(bytes, format)
      #expect(rows[0] as? [String] == ["text", "number", "flag", "none"])
      #expect(rows.count == Self.texts.count + 1)
      for (index, text) in Self.texts.enumerated() {
        let row = rows[index + 1]
        switch format {
        case .csv:
          let expected = Self.guarded[text] ?? text
          #expect(
            row as? [String] == [expected, "\(Double(index) - 2.5)", index % 2 == 0 ? "true" : "false", ""], "\(text)")
        case .xlsx:
          #expect(row[0] as? String ?? "" == text)
          #expect(row[1] as? Double == Double(index) - 2.5)
          #expect(row[2] as? Bool == (index % 2 == 0))
          #expect(row.count < 4 || row[3] is NSNull)
        }
      }
    }
  }

  /// A spreadsheet in a language with a decimal comma splits the cells at semicolons, without regard to quotes within a
  /// line.
  @Test func no_part_of_a_csv_text_is_a_formula_and_the_import_reads_the_same_texts() throws {
    var writer = CSVWriter([ExportColumn(path: ["number"]), ExportColumn(path: ["text"])])
    var bytes = writer.begin()
    for (index, text) in Self.texts.enumerated() { bytes += writer.add([.number("-\(index).5"), .text(text)]) }
    let lines = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
    for line in lines.split(separator: "\n").dropFirst() {
      for part in line.split(separator: ";").dropFirst() {
        #expect(!"=+-@\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".contains(part.first ?? " "), "\(line)")
      }
    }
    let read = try CSVText(bytes)
    #expect(read.separator == UInt8(ascii: ","))
    #expect(read.rows.dropFirst().map(\.cells) == Self.texts.enumerated().map { ["-\($0).5", $1] })
  }

  @Test func a_full_sheet_is_continued_on_another_one() async throws {
    try await runBlocking {
      var writer = try XLSXWriter([ExportColumn(path: ["n"])], mostRows: 4)
      var bytes = try writer.begin()
      for number in 0..<10 { bytes += try writer.add([.number("\(number)")]) }
      bytes += try writer.finish()
      let rows = try Self.rows(bytes, .xlsx)
      #expect(rows.filter { $0.first as? String == "n" }.count == 4)
      #expect(rows.compactMap { $0.first as? Int } == Array(0..<10))
    }
  }

  @Test func a_text_that_no_cell_can_have_is_replaced_or_cut() async throws {
    try await runBlocking {
      var writer = try XLSXWriter([ExportColumn(path: ["n"])])
      var bytes = try writer.begin()
      bytes += try writer.add([.text("a\u{1}b\u{1B}c")])
      bytes += try writer.add([.text(String(repeating: "😀", count: 20_000))])
      bytes += try writer.finish()
      let rows = try Self.rows(bytes, .xlsx)
      #expect(rows[1].first as? String == "a\u{FFFD}b\u{FFFD}c")
      #expect((rows[2].first as? String)?.utf16.count == 32_766)
    }
  }

  @Test func columns_have_the_letters_of_spreadsheets() {
    for (column, letters) in [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA"), (16_383, "XFD")] {
      #expect(XLSXWriter.letters(column) == letters)
    }
  }

  /// Every list of the route table can be sent as a file, and its columns contain every key that its elements have.
  @Test func every_list_is_a_file_with_the_keys_of_its_elements() async throws {
    try await TestServer.run { server in
      _ = try await server.addPerson("admin@example.com")
      _ = try await FleetRoutesTests.depots(server)
      let lists = FleetRoutes.table(of: server.storage).routes.filter(\.isList)
      #expect(lists.count > 10)
      try await runBlocking {
        let session = try server.signIn("admin@example.com")
        let samples = ["telemetry", "trip", "dtc", "driving"].enumerated().map { SampleRecord($0 + 1, type: $1) }
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", samples.lines)
        let body =
          #"{"vehicleId":"VAN-1","at":"2026-05-04T10:00:00Z","category":"toll","amount":{"amount":"9.90","currency":"EUR"}}"#
        _ = try server.asPage(session, "POST", "/api/expenses", body)
        for route in lists {
          let path = route.path.text.replacing("{vehicleId}", with: "VAN-1")
          guard !path.contains("{") else { continue }
          let elements = try server.asPage(session, "GET", path).list
          let file = try server.asPage(session, "GET", path + "?format=csv")
          #expect(
            file.status == 200 && file.headers["content-type"]?.hasPrefix("text/csv") == true, "\(path) \(file.text)")
          let rows = try Self.rows(file.body, .csv)
          let names = Set((rows.first as? [String] ?? []).map { String($0.prefix { $0 != "." }) })
          let keys = Set(elements.flatMap(\.keys))
          #expect(names.contains("more") || keys.isSubset(of: names), "\(path): \(keys.subtracting(names))")
          #expect(rows.count == elements.count + 1, "\(path)")
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_file_has_what_its_pages_show_to_the_same_caller(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let fleets = try await FleetRoutesTests.depots(server).ids
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        for number in 0..<250 {
          let fleet = number % 2 == 0 ? fleets.north : fleets.south
          let body =
            #"{"id":"X-\#(number)","name":"=name \#(number)","fleetId":"\#(fleet)","payload":\#(number).5,"registrationNumber":"P-\#(1_000 + number)"}"#
          #expect(try admin.send("POST", "/api/vehicles", json: body).status == 201)
        }
        let records = (1...600).map { SampleRecord($0, type: "trip", vehicle: "VAN-\($0 % 2 + 1)", gateway: "gw-1") }
        _ = try server.client(server.keys.gateway).send(
          "POST", "/api/telemetry", records.filter { $0.vehicle == "VAN-1" }.lines)
        let viewer = try server.signIn("viewer@example.com")
        let listed = try server.asPage(viewer, "GET", "/api/vehicles?sort=-registrationNumber&limit=1000").list
        let ids = listed.compactMap { $0["id"] as? String }
        #expect(ids.count == 126)
        for format in ExportFormat.allCases {
          let path = "/api/vehicles?sort=-registrationNumber&format=\(format.rawValue)"
          let rows = try Self.rows(try server.asPage(viewer, "GET", path).body, format)
          let header = rows[0].compactMap { $0 as? String }
          let (id, name) = (try #require(header.firstIndex(of: "id")), try #require(header.firstIndex(of: "name")))
          let payload = try #require(header.firstIndex(of: "payload"))
          #expect(rows.dropFirst().map { $0[id] as? String } == ids)
          #expect(rows[1][name] as? String == (format == .csv ? "'" : "") + "=name 248")
          #expect(format == .csv ? rows[1][payload] as? String == "248.5" : rows[1][payload] as? Double == 248.5)
        }
        let trips = try Self.rows(try admin.send("GET", "/api/trips?format=csv").body, .csv)
        #expect(trips.count == 301)
        let chosen = try Self.rows(
          try admin.send("GET", "/api/vehicles/VAN-1/telemetry?fields=speed,rpm&format=csv").body, .csv)
        #expect(chosen as? [[String]] == [["id", "timestamp", "speed", "rpm"]])
        for (query, message) in [
          ("format=pdf", "expected json, csv or xlsx"), ("format=csv&limit=5", "no limit"),
        ] {
          let reply = try admin.send("GET", "/api/vehicles?\(query)")
          #expect(reply.status == 400 && reply.text.contains(message), "\(reply.text)")
        }
        #expect(try server.asPage(viewer, "GET", "/api/tokens?format=csv").status == 403)
        #expect(try admin.send("HEAD", "/api/vehicles?format=xlsx").status == 200)
      }
    }
  }
}
