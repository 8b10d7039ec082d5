import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// `POST /api/telemetry`: the input, the response and the stored records.
@Suite struct IngestTests {
  @Test func each_record_has_its_outcome_in_order() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.gateway)
        let first = try client.send("POST", "/api/telemetry", [SampleRecord(1)].lines)
        #expect(first.status == 200)
        let bad = #"{"type":"telemetry","id":"nonsense"}"#
        let mixed = [SampleRecord(2).line, "{ not json", SampleRecord(1).line, bad, SampleRecord(3).line]
        let reply = try client.send("POST", "/api/telemetry", Array(mixed.joined(separator: "\n").utf8))
        #expect(reply.status == 200)
        let json = try reply.json
        #expect(json["stored"] as? Int == 2)
        #expect(json["duplicates"] as? Int == 1)
        #expect(json["refused"] as? Int == 2)
        let results = json["results"] as? [[String: Any]] ?? []
        #expect(results.map { $0["outcome"] as? String } == ["stored", "refused", "duplicate", "refused", "stored"])
        #expect(results.map { $0["index"] as? Int } == [0, 1, 2, 3, 4])
        #expect((results[3]["reason"] as? String)?.contains("id") == true)
      }
    }
  }

  @Test func responses_name_the_gateway_of_the_key_only_to_that_gateway() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let gateway = try server.client(server.keys.gateway)
        let (taken, empty) = (
          try gateway.send("POST", "/api/telemetry", [SampleRecord(1)].lines),
          try gateway.send("POST", "/api/telemetry", [0x0A])
        )
        #expect(taken.status == 200 && empty.status == 400)
        for reply in [taken, empty] { #expect(reply.headers["obdgate-gateway"] == "gw-1") }
        let admin = try server.client(server.keys.admin).send("POST", "/api/telemetry", [SampleRecord(2)].lines)
        #expect(admin.status == 200 && admin.headers["obdgate-gateway"] == nil)
        let unknown = try server.client("nonsense").send("POST", "/api/telemetry", [SampleRecord(3)].lines)
        #expect(unknown.status == 401 && unknown.headers["obdgate-gateway"] == nil)
      }
    }
  }

  @Test func records_come_back_as_they_were_sent() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let gateway = try server.client(server.keys.gateway)
        let odd = SampleRecord(7, rest: #""rpm":1.7260e3, "note":"\u00e4\/x" ,"nested":{"a":[1, 2]}"#)
        _ = try gateway.send("POST", "/api/telemetry", [odd].lines)
        let reply = try server.client(server.keys.readOnly).send("GET", "/api/vehicles/VAN-1/telemetry")
        #expect(reply.text == #"{"data":["# + odd.line + "]}")
      }
    }
  }

  @Test func arrays_and_lines_are_accepted_alike() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.gateway)
        let array = "[" + (1...3).map { SampleRecord($0).line }.joined(separator: " ,\n") + "]"
        let reply = try client.send("POST", "/api/telemetry", json: array)
        #expect(try reply.json["stored"] as? Int == 3)
        let again = try client.send(
          "POST", "/api/telemetry", (1...4).map { SampleRecord($0) }.lines,
          headers: ["Content-Type": "application/x-ndjson"])
        #expect(try again.json["stored"] as? Int == 1)
        #expect(try again.json["duplicates"] as? Int == 3)
        // The type that curl sends for any --data.
        let form = try client.send(
          "POST", "/api/telemetry", (1...5).map { SampleRecord($0) }.lines,
          headers: ["Content-Type": "application/x-www-form-urlencoded"])
        #expect(try form.json["stored"] as? Int == 1)
        for (number, type) in ["application/ndjson", "application/jsonlines", "application/x-jsonlines"].enumerated() {
          let lines = (5...(6 + number)).map { SampleRecord($0) }.lines
          let reply = try client.send("POST", "/api/telemetry", lines, headers: ["Content-Type": type])
          #expect(try reply.json["stored"] as? Int == 1, "\(type)")
        }
        let image = try client.send("POST", "/api/telemetry", [], headers: ["Content-Type": "image/png"])
        #expect(image.status == 415)
      }
    }
  }

  @Test func one_object_on_several_lines_is_one_record() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.gateway)
        let pretty = SampleRecord(1).line.replacing(",", with: ",\n  ")
        let reply = try client.send("POST", "/api/telemetry", json: pretty + "\n")
        #expect(
          reply.text
            == #"{"stored":1,"duplicates":0,"improved":0,"refused":0,"results":[{"index":0,"outcome":"stored"}]}"#)
        // The type says that the body consists of lines.
        let lines = try client.send(
          "POST", "/api/telemetry", Array(pretty.utf8), headers: ["Content-Type": "application/x-ndjson"])
        #expect(try lines.json["refused"] as? Int ?? 0 > 1)
        let several = try client.send(
          "POST", "/api/telemetry", json: (1...3).map { SampleRecord($0).line }.joined(separator: "\n"))
        #expect(try several.json["stored"] as? Int == 2)
      }
    }
  }

  @Test(arguments: ["x", ",", "]", "[]"])
  func a_malformed_array_stores_nothing(_ rest: String) async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.gateway)
        for array in ["[\(SampleRecord(1).line)]\(rest)", "[\(SampleRecord(1).line)", "[\(SampleRecord(1).line),"] {
          let reply = try client.send("POST", "/api/telemetry", json: array)
          #expect(reply.status == 400 && reply.errorMessage.contains("the array is not one"), "\(reply.text)")
        }
        #expect(try server.client(server.keys.readOnly).send("GET", "/api/vehicles/VAN-1/telemetry").list.isEmpty)
      }
    }
  }

  @Test func a_better_time_is_taken_from_a_later_copy() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.gateway)
        _ = try client.send("POST", "/api/telemetry", [SampleRecord(1, quality: "system", second: 5)].lines)
        let better = SampleRecord(1, quality: "gps", second: 9)
        let reply = try client.send("POST", "/api/telemetry", [better].lines)
        #expect(try reply.json["improved"] as? Int == 1)
        let list = try server.client(server.keys.readOnly).send("GET", "/api/vehicles/VAN-1/telemetry").list
        #expect(list.count == 1)
        #expect(list[0]["timestamp"] as? String == "2026-01-01T00:00:09.000Z")
      }
    }
  }

  @Test(arguments: ["zstd", "gzip"])
  func a_packed_body_is_unpacked(_ coding: String) async throws {
    let tool = try Tool.required(coding)
    try await TestServer.run { server in
      try await runBlocking {
        let packed = try Tool.run(tool, ["-c"], stdin: (1...100).map { SampleRecord($0) }.lines).stdout
        let client = try server.client(server.keys.gateway)
        let reply = try client.send("POST", "/api/telemetry", packed, headers: ["Content-Encoding": coding])
        #expect(try reply.json["stored"] as? Int == 100)
      }
    }
  }

  @Test(arguments: ["zstd", "gzip"])
  func an_invalid_compressed_body_is_rejected(_ coding: String) async throws {
    let tool = try Tool.required(coding)
    try await TestServer.run { server in
      try await runBlocking {
        let packed = try Tool.run(tool, ["-c"], stdin: (1...100).map { SampleRecord($0) }.lines).stdout
        let client = try server.client(server.keys.gateway)
        for body in [Array(packed.dropLast(9)), Array("plain".utf8), Array(packed.prefix(3))] {
          let reply = try client.send("POST", "/api/telemetry", body, headers: ["Content-Encoding": coding])
          #expect(reply.status == 400)
        }
        #expect(try server.client(server.keys.readOnly).send("GET", "/api/vehicles/VAN-1/telemetry").list.isEmpty)
      }
    }
  }

  @Test func a_body_that_ends_early_stores_nothing() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.gateway)
        let body = (1...10).map { SampleRecord($0) }.lines
        let head = "POST /api/telemetry HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(server.keys.gateway)\r\n"
        try client.write(Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body.dropLast(100))
        client.endInput()
        _ = try client.readToEnd()
        #expect(try server.client(server.keys.readOnly).send("GET", "/api/vehicles/VAN-1/telemetry").list.isEmpty)
      }
    }
  }

  @Test func limits_of_body_and_records_are_kept() async throws {
    try await TestServer.run(
      .test {
        $0.limits.bodyBytes = 4_096
        $0.limits.batchRecords = 5
      }
    ) { server in
      try await runBlocking {
        let long = try server.client(server.keys.gateway).send(
          "POST", "/api/telemetry", (1...40).map { SampleRecord($0) }.lines)
        #expect(long.status == 413)
        let many = try server.client(server.keys.gateway).send(
          "POST", "/api/telemetry", (1...6).map { SampleRecord($0) }.lines)
        #expect(many.status == 413)
        let array = try server.client(server.keys.gateway).send("POST", "/api/telemetry", json: "[1,2,3,4,5,6]")
        #expect(array.status == 413)
        let right = try server.client(server.keys.gateway).send(
          "POST", "/api/telemetry", (1...5).map { SampleRecord($0) }.lines)
        #expect(try right.json["stored"] as? Int == 5)
      }
    }
  }

  @Test func unsupported_content_types_and_encodings_are_rejected() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.gateway)
        let type = try client.send("POST", "/api/telemetry", [1], headers: ["Content-Type": "text/html"])
        #expect(type.status == 415)
        let coding = try client.send("POST", "/api/telemetry", [1], headers: ["Content-Encoding": "br"])
        #expect(coding.status == 415)
        let empty = try client.send("POST", "/api/telemetry", [])
        #expect(empty.status == 400)
      }
    }
  }

  @Test func a_gateway_writes_as_itself_and_as_its_own_vehicles_alone() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.gateway)
        let records = [
          SampleRecord(1, vehicle: "VAN-2"), SampleRecord(2, gateway: "gw-2"), SampleRecord(3),
        ]
        let results = try client.send("POST", "/api/telemetry", records.lines).json["results"] as? [[String: Any]] ?? []
        #expect(results.map { $0["kind"] as? String } == ["foreignVehicle", "foreignGateway", nil])
      }
    }
  }
}
