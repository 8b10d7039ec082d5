import Foundation
import JSONText
import TestKit
import Testing

@testable import FleetAPI

/// `/api/openapi.json` describes exactly the existing routes.
@Suite struct OpenAPITests {
  @Test func the_description_contains_exactly_the_routes() async throws {
    try await TestServer.run { server in
      let routes = FleetRoutes.table(of: server.storage).routes
      try await runBlocking {
        let reply = try server.client().send("GET", "/api/openapi.json")
        #expect(throws: Never.self) { try JSONDocument(parsing: reply.body) }
        let paths = try reply.json["paths"] as? [String: [String: Any]] ?? [:]
        let described = paths.flatMap { path, operations in operations.keys.map { "\($0.uppercased()) \(path)" } }
        #expect(Set(described) == Set(routes.map { "\($0.method.rawValue) \($0.path.text)" }))
        let names = paths.values.flatMap(\.values).compactMap { ($0 as? [String: Any])?["operationId"] as? String }
        #expect(names.count == described.count && Set(names).count == names.count)
      }
    }
  }

  @Test func every_schema_reference_has_a_target() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let reply = try server.client().send("GET", "/api/openapi.json")
        let schemas = try ((reply.json["components"] as? [String: Any])?["schemas"] as? [String: Any]) ?? [:]
        let text = reply.text
        let names =
          text.matches(of: /"#\/components\/schemas\/([A-Za-z]+)"/).map { String($0.1) }
          + text.matches(of: /"\$ref": "#\/components\/schemas\/([A-Za-z]+)"/).map { String($0.1) }
        #expect(names.count > 40)
        #expect(Set(names).isSubset(of: Set(schemas.keys)))
      }
    }
  }
}
