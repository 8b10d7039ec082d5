import FleetStorageTestKit
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Lists that are selected by ids, and the number of the things in a list, on both databases.
@Suite struct ListSelectionTests {
  private static func made(_ client: TestClient, _ path: String, _ body: String) throws -> String {
    let reply = try client.send("POST", "/api/\(path)", json: body)
    return try #require(try reply.json["id"] as? String, "\(reply.text)")
  }

  private static func ids(_ reply: TestClient.Reply) throws -> [String] {
    #expect(reply.status == 200, "\(reply.text)")
    return reply.list.compactMap { $0["id"] as? String }
  }

  @Test(arguments: TestServer.Database.allCases)
  func ids_select_things_of_every_kind(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        var drivers: [String] = []
        for name in ["Ada", "Ben", "Cem"] { drivers.append(try Self.made(client, "drivers", #"{"name":"\#(name)"}"#)) }
        for id in ["BUS-1", "BUS-2", "BUS-3"] { _ = try Self.made(client, "vehicles", #"{"id":"\#(id)"}"#) }
        let unknown = "019d0000-0000-7000-8000-000000000000"
        let path = "/api/drivers?sort=-name&id=\(drivers[0]),\(drivers[2]),\(unknown)"
        #expect(try Self.ids(try client.send("GET", path)) == [drivers[2], drivers[0]])
        #expect(try Self.ids(try client.send("GET", path + "&q=ada")) == [drivers[0]])
        let vehicles = try client.send("GET", "/api/vehicles?id=BUS-3,BUS-1,NONE")
        #expect(try Self.ids(vehicles) == ["BUS-1", "BUS-3"])
        let many = Array(repeating: unknown, count: 101).joined(separator: ",")
        for wrong in ["id=x", "id=", "id=\(unknown),", "id=\(many)"] {
          #expect(try client.send("GET", "/api/drivers?\(wrong)").status == 400, "\(wrong)")
        }
        // Every list of things has the parameter, and says so.
        let document = try client.send("GET", "/api/openapi.json").json
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        for path in ["/api/vehicles", "/api/drivers", "/api/people", "/api/fleets", "/api/defects", "/api/journeys"] {
          let list = try #require(paths[path]?["get"] as? [String: Any])
          let names = (list["parameters"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
          #expect(names.count { $0 == "id" } == 1 && names.contains("count"), "\(path): \(names)")
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_count_is_that_of_all_pages(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        for number in 0..<7 {
          _ = try Self.made(client, "drivers", #"{"name":"\#(number < 5 ? "Ada" : "Ben") \#(number)"}"#)
        }
        func page(_ query: String) throws -> [String: Any] {
          let reply = try client.send("GET", "/api/drivers?\(query)")
          return try reply.json
        }
        #expect(try page("limit=2")["count"] == nil)
        let first = try page("limit=2&count=true")
        #expect(first["count"] as? Int == 7)
        let cursor = try #require(first["next"] as? String)
        let second = try page("limit=2&count=true&cursor=\(cursor)")
        #expect(second["count"] as? Int == 7 && (second["data"] as? [Any])?.count == 2)
        #expect(try page("limit=1&count=true&q=ada")["count"] as? Int == 5)
        #expect(try page("count=true&q=nobody")["count"] as? Int == 0)
        #expect(try client.send("GET", "/api/drivers?count=yes").status == 400)
      }
    }
  }

  /// A viewer of one fleet neither reads nor counts what belongs to others.
  @Test(arguments: TestServer.Database.allCases)
  func ids_and_counts_keep_to_the_scope_of_the_caller(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let fleets = try await FleetRoutesTests.depots(server).ids
      try await server.addPerson("admin@example.com")
      try await runBlocking {
        let (viewer, admin) = (try server.signIn("viewer@example.com"), try server.signIn("admin@example.com"))
        func list(_ session: String, _ path: String) throws -> (ids: [String], count: Int?) {
          let reply = try server.asPage(session, "GET", path)
          return (try Self.ids(reply), try reply.json["count"] as? Int)
        }
        let vehicles = "/api/vehicles?count=true&id=VAN-1,VAN-2,FREE"
        #expect(try list(admin, vehicles) == (["FREE", "VAN-1", "VAN-2"], 3))
        #expect(try list(viewer, vehicles) == (["VAN-1"], 1))
        let groups = "/api/fleets?count=true&id=\(fleets.north),\(fleets.south)"
        #expect(try list(admin, groups).count == 2)
        #expect(try list(viewer, groups) == ([fleets.north], 1))
        let people = try list(admin, "/api/people?count=true")
        let all = "/api/people?count=true&id=\(people.ids.joined(separator: ","))"
        #expect(try list(admin, all).count == people.count)
        // The viewer itself, and the person with the same scope.
        #expect(try list(viewer, all).count == 2)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func checklists_that_are_not_used_are_listed_on_request(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func names(_ query: String) throws -> [String] {
          let reply = try client.send("GET", "/api/checklists\(query)")
          #expect(reply.status == 200, "\(reply.text)")
          return reply.list.map {
            "\($0["name"] ?? "") \($0["id"] == nil ? "built-in" : "own") \($0["isActive"] as? Bool ?? false)"
          }
        }
        let item = #""items":[{"item":"hoses","text":"Hoses"}]"#
        _ = try Self.made(client, "checklists", #"{"name":"car","text":"Ours",\#(item)}"#)
        _ = try Self.made(client, "checklists", #"{"name":"crane","text":"Crane","isActive":false,\#(item)}"#)
        #expect(try names("") == ["commercialVehicle built-in true", "car own true"])
        #expect(
          try names("?all=true") == [
            "commercialVehicle built-in true", "car built-in false", "car own true", "crane own false",
          ])
        #expect(try client.send("GET", "/api/checklists?all=1").status == 400)
      }
    }
  }
}
