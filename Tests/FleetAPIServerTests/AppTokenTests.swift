import FleetAccess
import FleetDomain
import Foundation
import Synchronization
import TestKit
import Testing

@testable import FleetAPI

/// Access tokens and refresh tokens of apps.
@Suite struct AppTokenTests {
  @Test(arguments: TestServer.Database.allCases)
  func an_app_renews_its_tokens_and_a_stolen_refresh_token_ends_the_session(_ database: TestServer.Database)
    async throws
  {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let first = try server.client().send(
          "POST", "/api/auth/token",
          json: #"{"grant":"password","email":"ann@example.com","password":"\#(TestServer.password)"}"#)
        #expect(first.status == 200 && first.cookies.isEmpty)
        let access = try #require(try first.json["accessToken"] as? String)
        let refresh = try #require(try first.json["refreshToken"] as? String)
        #expect(try first.json["expiresIn"] as? Int == 900)
        #expect(try server.client(access).send("GET", "/api/vehicles").status == 200)
        let second = try server.client().send(
          "POST", "/api/auth/token", json: #"{"grant":"refresh","refreshToken":"\#(refresh)"}"#)
        let renewed = try #require(try second.json["accessToken"] as? String)
        let next = try #require(try second.json["refreshToken"] as? String)
        #expect(renewed != access && next != refresh)
        #expect(try server.client(access).send("GET", "/api/vehicles").status == 401)
        #expect(try server.client(renewed).send("GET", "/api/vehicles").status == 200)
        // The old token is used again, by a thief or by the owner. The session ends for both.
        let reused = try server.client().send(
          "POST", "/api/auth/token", json: #"{"grant":"refresh","refreshToken":"\#(refresh)"}"#)
        #expect(reused.status == 401)
        #expect(try server.client(renewed).send("GET", "/api/vehicles").errorCode == "sessionEnded")
        #expect(
          try server.client().send(
            "POST", "/api/auth/token", json: #"{"grant":"refresh","refreshToken":"\#(next)"}"#
          ).status == 401)
        for text in ["", "fsr_", "fsr_default/x.y", "fsr_none/0193e0f2-0000-7000-8000-000000000000.00", refresh + "0"] {
          #expect(
            try server.client().send(
              "POST", "/api/auth/token", json: #"{"grant":"refresh","refreshToken":"\#(text)"}"#
            ).status == 401)
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_stolen_refresh_token_ends_the_session_after_any_number_of_renewals(_ database: TestServer.Database)
    async throws
  {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        func grant(_ members: String) throws -> TestClient.Reply {
          try server.client().send("POST", "/api/auth/token", json: #"{"grant":\#(members)}"#)
        }
        var reply = try grant(#""password","email":"ann@example.com","password":"\#(TestServer.password)""#)
        let stolen = try #require(try reply.json["refreshToken"] as? String)
        for _ in 0..<12 {
          let token = try #require(try reply.json["refreshToken"] as? String)
          reply = try grant(#""refresh","refreshToken":"\#(token)""#)
        }
        let access = try #require(try reply.json["accessToken"] as? String)
        #expect(try server.client(access).send("GET", "/api/vehicles").status == 200)
        #expect(try grant(#""refresh","refreshToken":"\#(stolen)""#).status == 401)
        #expect(try server.client(access).send("GET", "/api/vehicles").errorCode == "sessionEnded")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_invented_refresh_token_changes_nothing(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let first = try server.client().send(
          "POST", "/api/auth/token",
          json: #"{"grant":"password","email":"ann@example.com","password":"\#(TestServer.password)"}"#)
        let access = try #require(try first.json["accessToken"] as? String)
        let refresh = try #require(try first.json["refreshToken"] as? String)
        // The first part is the id of the session, which administrators and logs may show.
        let invented = refresh.prefix(while: { $0 != "." }) + "." + String(repeating: "0", count: 64)
        let refused = try server.client().send(
          "POST", "/api/auth/token", json: #"{"grant":"refresh","refreshToken":"\#(invented)"}"#)
        #expect(refused.status == 401)
        #expect(try server.client(access).send("GET", "/api/vehicles").status == 200)
        let renewed = try server.client().send(
          "POST", "/api/auth/token", json: #"{"grant":"refresh","refreshToken":"\#(refresh)"}"#)
        #expect(renewed.status == 200)
      }
    }
  }
}
