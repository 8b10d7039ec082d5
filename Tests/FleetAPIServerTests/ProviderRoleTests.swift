import FleetAccess
import FleetDomain
import Foundation
import Synchronization
import TestKit
import Testing

@testable import FleetAPI

/// Roles of people who sign in with a provider.
@Suite struct ProviderRoleTests {
  /// A provider that nobody here wrote (oidc-provider-mock, PyPI).
  @Test func a_person_signs_in_with_a_real_provider() async throws {
    let port = try ReservedPort()
    let number = Int(port.number)
    let program = try await runBlocking { () throws -> RunningProgram in
      let program = try RunningProgram(
        try Tool.python(with: "oidc_provider_mock"), ["-m", "oidc_provider_mock", "--port", "\(number)"])
      do {
        let deadline = ContinuousClock.now + .seconds(60)
        while try Tool.run("curl", ["-sf", "http://127.0.0.1:\(number)/.well-known/openid-configuration"]).status != 0 {
          guard .now < deadline else { throw TestClient.Failure(description: "the provider does not answer") }
        }
      } catch {
        program.kill()
        throw error
      }
      return program
    }
    defer { program.kill() }
    let description = try await runBlocking {
      try Tool.run("curl", ["-sS", "http://127.0.0.1:\(number)/.well-known/openid-configuration"]).stdout
    }
    let issuer = try JSON(parsing: description)["issuer"]?.textValue
    var provider = OpenIDProvider(
      id: "mock", name: "Mock", issuer: try #require(issuer), clientID: "fleet")
    provider.clientSecret = "secret"
    provider.allowedDomains = ["example.org"]
    try await ProviderRoutesTests.run([provider]) { server in
      try await runBlocking { () throws in
        let user = #"{"email":"ann@example.org","email_verified":true,"given_name":"Ann","family_name":"Lee"}"#
        let added = try Tool.run(
          "curl", ["-sS", "-X", "PUT", "--json", user, "http://127.0.0.1:\(number)/users/ann"])
        #expect(added.status == 0, "\(added.errors) \(added.output)")
        let reply = try server.client().send("GET", "/api/auth/oidc/mock?returnTo=/me")
        let url = try #require(reply.headers["location"])
        // The form of the provider's page.
        let page = try Tool.run("curl", ["-sS", "-o", "/dev/null", "-w", "%{redirect_url}", "-d", "sub=ann", url])
          .output
        #expect(page.hasPrefix("https://fleet.example/api/auth/oidc/mock/callback?"), "\(page)")
        let back = page.replacing("https://fleet.example", with: "")
        let cookie = try #require(reply.cookie("fleet-provider"))
        let done = try server.client().send("GET", back, headers: ["Cookie": "fleet-provider=\(cookie)"])
        #expect(done.status == 303 && done.headers["location"] == "/me", "\(done.text)")
        let session = try #require(done.cookie("fleet-session"))
        let own = try server.asPage(session, "GET", "/api/auth/session")
        #expect((try own.json["person"] as? [String: Any])?["email"] as? String == "ann@example.org", "\(own.text)")
      }
    }
  }

  /// A person who leaves a group of the company loses its roles at the next sign-in.
  @Test(arguments: TestServer.Database.allCases)
  func each_sign_in_sets_the_roles_of_the_providers_groups(_ database: TestServer.Database) async throws {
    let peer = try await runBlocking { try ProviderRoutesTests.Peer() }
    let mapped = peer.provider("good") { provider in
      provider.allowedDomains = []
      provider.rolesClaim = "groups"
      provider.roles = ["admins": [.admin], "workshop": [.maintenance], "all": [.viewer]]
    }
    try await ProviderRoutesTests.run([mapped], on: database) { server in
      func signIn(_ groups: [String]) async throws -> (status: Int, session: String?) {
        try await runBlocking {
          let begun = try ProviderRoutesTests.begin(server, "good")
          let reply = try ProviderRoutesTests.finish(server, begun, code: try begun.code(["groups": groups]))
          return (reply.status, reply.cookie("fleet-session"))
        }
      }
      func roles() async throws -> Set<PersonRole> {
        Set(
          try await ProviderRoutesTests.people(server).first { $0.value.email?.text == "ann@example.org" }?.value.roles
            ?? [])
      }
      let first = try await signIn(["workshop", "all"])
      #expect(try await roles() == [.maintenance, .viewer])
      // A lost role ends the sessions that were begun with it.
      #expect(try await signIn(["all"]).session != nil)
      #expect(try await roles() == [.viewer])
      try await runBlocking {
        let reply = try server.asPage(first.session, "GET", "/api/vehicles")
        #expect(reply.status == 401, "\(reply.text)")
      }
      #expect(try await signIn(["admins"]).session != nil)
      #expect(try await roles() == [.admin])
      // Ann is the last administrator now.
      #expect(try await signIn(["all"]).session != nil)
      #expect(try await roles() == [.admin, .viewer])
      #expect(try await signIn([]).session != nil)
      #expect(try await roles() == [.admin])
      let kept = try await server.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.audit(thing: nil, before: nil, limit: 100)
      }.filter { $0.action == "lastAdministratorKept" }
      #expect(kept.count == 2)
      try await server.addPerson("admin@example.com")
      #expect(try await signIn([]).status == 403)
      #expect(try await roles().isEmpty)
      #expect(try await signIn(["workshop"]).session != nil)
      #expect(try await roles() == [.maintenance])
    }
  }

  @Test func roles_that_an_administrator_gave_stay_if_the_configuration_says_so() async throws {
    let peer = try await runBlocking { try ProviderRoutesTests.Peer() }
    let mapped = peer.provider("good") { provider in
      provider.rolesClaim = "groups"
      provider.roles = ["all": [.viewer]]
      provider.keepsRoles = true
    }
    try await ProviderRoutesTests.run([mapped]) { server in
      try await runBlocking {
        for groups in [["all"], []] {
          let begun = try ProviderRoutesTests.begin(server, "good")
          let reply = try ProviderRoutesTests.finish(server, begun, code: try begun.code(["groups": groups]))
          #expect(reply.cookie("fleet-session") != nil, "\(reply.text)")
        }
      }
      #expect(try await ProviderRoutesTests.people(server).map(\.value.roles) == [[.viewer]])
    }
  }
}
