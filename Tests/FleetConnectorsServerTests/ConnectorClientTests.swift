import FleetDomain
import FleetProviders
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// What all clients promise, and the sign-ins.
@Suite struct ConnectorClientTests {
  /// 2026-03-01T12:00:00Z.
  private static let now = Timestamp(nanoseconds: ConnectedFleet.start * 1_000_000)

  private static func session(
    _ service: Connector.Service, _ cloud: ScriptedCloud, tokens: MemoryTokens = MemoryTokens(), secret: String? = "s3",
    _ set: (inout Connector) -> Void = { _ in }
  ) -> ConnectorSession {
    var settings = Connector()
    (settings.service, settings.address, settings.signIn) = (service, "https://cloud.example/api", .bearer)
    set(&settings)
    return ConnectorSession(settings: settings, secret: secret, transport: cloud, store: tokens, now: { Self.now })
  }

  /// Pulls all pages of all streams, at most 20.
  private static func pull(_ client: any ConnectorClient) async throws -> [PulledPage] {
    var pages: [PulledPage] = []
    for stream in client.streams {
      var cursor = JSON.null
      repeat {
        let page = try await client.pull(stream, after: cursor)
        pages.append(page)
        cursor = page.cursor
        if page.isLast { break }
      } while pages.count < 20
    }
    return pages
  }

  // MARK: All services

  /// The first address that each client reads.
  private static let first: [(Connector.Service, String)] = [
    (.samsara, "https://cloud.example/api/fleet/vehicles?limit=512"),
    (.aemp, "https://cloud.example/api/Fleet/1"),
    (.tesla, "https://cloud.example/api/api/1/vehicles"),
    (.ford, "https://cloud.example/api/fcon-query/v1/garage"),
  ]

  @Test(arguments: Connector.Service.allCases)
  func every_client_reports_the_reason_of_a_failure(_ service: Connector.Service) async throws {
    let url = try #require(Self.first.first { $0.0 == service }?.1)
    let cases: [(ProviderClient.Answer, ConnectorError.Kind)] = [
      (.error(401), .refused), (.error(403), .refused),
      (.error(429, retryAfter: "0.40235"), .rateLimited(seconds: 0.40235)),
      (.error(429), .rateLimited(seconds: nil)), (.error(503, "Unavailable"), .unavailable),
      (.ok("{\"data\":["), .malformed),
      (.ok("<!DOCTYPE html><html></html>"), .malformed), (.ok(""), .malformed), (.ok("[]"), .malformed),
    ]
    for (answer, kind) in cases {
      let client = Self.session(service, ScriptedCloud([url: [answer]])).client
      do throws(ConnectorError) {
        _ = try await client.pull(client.streams[0], after: .null)
        Issue.record("\(service): \(answer.status) has no error")
      } catch {
        #expect(error.kind == kind, "\(service) \(answer.status): \(error)")
        #expect(!error.description.contains("s3"))
      }
    }
    let missing = Self.session(service, ScriptedCloud([:]), secret: nil).client
    do throws(ConnectorError) {
      _ = try await missing.pull(missing.streams[0], after: .null)
      Issue.record("\(service): no error")
    } catch {
      #expect(error.kind == .settings)
    }
  }

  // MARK: Sign-ins

  private static let empty = ProviderClient.Answer.ok(#"{"Fleet":{"Equipment":[]}}"#)
  private static let fleet = "https://cloud.example/api/Fleet/1"
  private static let token = "https://id.example/token"

  @Test func client_credentials_are_renewed_once() async throws {
    let cloud = ScriptedCloud([
      Self.token: [.ok(#"{"access_token":"a1","expires_in":3599}"#), .ok(#"{"access_token":"a2"}"#)],
      Self.fleet: [Self.empty, .error(401), Self.empty, .error(401)],
    ])
    let tokens = MemoryTokens()
    let client = Self.session(.aemp, cloud, tokens: tokens) {
      ($0.signIn, $0.tokenAddress, $0.clientID, $0.scope) = (.clientCredentials, Self.token, "me & you", "manage:all")
    }.client
    for _ in 0..<2 { _ = try await client.pull(client.streams[0], after: .null) }
    #expect(cloud.sent.map(\.authorization) == ["", "Bearer a1", "Bearer a1", "", "Bearer a2"])
    #expect(
      cloud.sent[0].body == "grant_type=client_credentials&client_id=me%20%26%20you&client_secret=s3&scope=manage%3Aall"
    )
    // The new token is rejected, too.
    await #expect(throws: ConnectorError.self) { _ = try await client.pull(client.streams[0], after: .null) }
  }

  @Test func a_refresh_token_is_used_once_and_stored_before_the_request() async throws {
    let cloud = ScriptedCloud([
      Self.token: [.ok(#"{"access_token":"a1","refresh_token":"r2"}"#), .error(401, #"{"error":"login_required"}"#)],
      "https://cloud.example/api/api/1/vehicles": [
        .error(401, #"{"error":"token expired (401)"}"#), .ok(#"{"response":[]}"#),
      ],
    ])
    let tokens = MemoryTokens(ConnectorTokens(access: "old", refresh: "r1"))
    let client = Self.session(.tesla, cloud, tokens: tokens, secret: nil) {
      ($0.signIn, $0.tokenAddress, $0.clientID) = (.refreshToken, Self.token, "me")
    }.client
    _ = try await client.pull(client.streams[0], after: .null)
    #expect(tokens.all == [ConnectorTokens(access: "a1", refresh: "r2")])
    #expect(cloud.sent.map(\.authorization) == ["Bearer old", "", "Bearer a1"])
    #expect(cloud.sent[1].body == "grant_type=refresh_token&refresh_token=r1&client_id=me")
  }

  /// The services' own answers to sign-ins: Caterpillar's without a refresh token, Ford's with an ID token instead of
  /// an access token, and Tesla's with a new refresh token.
  @Test(
    arguments: [
      (.aemp, .clientCredentials, "aemp/cat_token_response", "REDACTED.eyJ-shape-only.sig", "r1"),
      (
        .ford, .refreshToken, "ford/fcon_token_response_id_token_only", "eyJ.REDACTED.REDACTED",
        "eyJraWQiOi.REDACTED.rotates"
      ),
      (
        .tesla, .refreshToken, "tesla/token_refresh_response", "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.REDACTED.REDACTED",
        "EU_REDACTED_single_use_rotates"
      ),
    ] as [(Connector.Service, Connector.SignIn, String, String, String)])
  func an_answer_to_a_sign_in_gives_its_tokens(
    _ service: Connector.Service, _ signIn: Connector.SignIn, _ file: String, _ access: String, _ refresh: String
  ) async throws {
    let answer = try TestData.lines("connectors/\(file).json").joined(separator: "\n")
    let cloud = ScriptedCloud([Self.token: [.ok(answer)]])
    let tokens = MemoryTokens(ConnectorTokens(refresh: "r1"))
    let session = Self.session(service, cloud, tokens: tokens) {
      ($0.signIn, $0.tokenAddress, $0.clientID) = (signIn, Self.token, "me")
    }
    // The address of the data is not known to the cloud, so the request itself fails.
    await #expect(throws: ConnectorError.self) { _ = try await session.get("https://cloud.example/api/x") }
    #expect(cloud.sent.map(\.authorization) == ["", "Bearer \(access)"])
    #expect(tokens.all == [ConnectorTokens(access: access, refresh: refresh)])
  }

  @Test func a_refresh_token_that_was_already_used_is_refused() async throws {
    let answer = try TestData.lines("connectors/tesla/error_token_login_required_401.json").joined(separator: "\n")
    let cloud = ScriptedCloud([Self.token: [.error(401, answer)]])
    let session = Self.session(.tesla, cloud, tokens: MemoryTokens(ConnectorTokens(refresh: "r1"))) {
      ($0.signIn, $0.tokenAddress) = (.refreshToken, Self.token)
    }
    do throws(ConnectorError) {
      _ = try await session.get("https://cloud.example/api/x")
      Issue.record("no error")
    } catch {
      #expect(error.kind == .refused)
      #expect(error.description.contains("The refresh_token is invalid or was already used"), "\(error)")
    }
    #expect(cloud.sent.count == 1)
  }

  @Test func each_form_of_sign_in_sends_its_own_header() async throws {
    let cloud = ScriptedCloud([
      Self.token: [.ok(" plain \n")], Self.fleet: [Self.empty],
    ])
    func pull(_ set: (inout Connector) -> Void) async throws {
      let client = Self.session(.aemp, cloud, set).client
      _ = try await client.pull(client.streams[0], after: .null)
    }
    try await pull { ($0.signIn, $0.userName) = (.basic, "user") }
    try await pull { ($0.signIn, $0.tokenAddress, $0.userName) = (.plainToken, Self.token, "user") }
    // user:s3
    #expect(cloud.sent.map(\.authorization) == ["Basic dXNlcjpzMw==", "Basic dXNlcjpzMw==", "Bearer plain"])
    let password = ScriptedCloud([Self.token: [.error(400, #"{"error":"unauthorized_client"}"#)]])
    let client = Self.session(.aemp, password) {
      ($0.signIn, $0.tokenAddress, $0.userName) = (.password, Self.token, "user")
    }.client
    do throws(ConnectorError) {
      _ = try await client.pull(client.streams[0], after: .null)
      Issue.record("no error")
    } catch {
      #expect(error.kind == .refused && error.description.contains("unauthorized_client"))
    }
    #expect(password.sent.map(\.body) == ["grant_type=password&username=user&password=s3"])
  }

  // MARK: Pages of ISO 15143-3

  private static func page(_ id: String, next: String?) -> ProviderClient.Answer {
    let link = next.map { #"<Links><rel>next</rel><href>\#($0)</href></Links>"# } ?? ""
    return .ok(
      """
      <Fleet>\(link)<Equipment><EquipmentHeader><OEMName>X</OEMName><SerialNumber>\(id)</SerialNumber>\
      </EquipmentHeader></Equipment></Fleet>
      """)
  }

  @Test func links_to_pages_are_absolute_or_relative_and_never_go_back() async throws {
    let base = "https://cloud.example/api/Fleet/"
    for links in [
      ["https://cloud.example/api/Fleet/2", "https://cloud.example/api/Fleet/3"], ["/Fleet/2", "/Fleet/3"], ["2", "3"],
      ["/api/Fleet/2", "/api/Fleet/3"],
    ] {
      for last in [nil, "/Fleet/1", "https://cloud.example/api/Fleet/3", "https://cloud.example/api/Fleet/0"] {
        let cloud = ScriptedCloud([
          base + "1": [Self.page("A", next: links[0])], base + "2": [Self.page("B", next: links[1])],
          base + "3": [Self.page("C", next: last)],
        ])
        let pages = try await Self.pull(Self.session(.aemp, cloud).client)
        #expect(pages.flatMap(\.assets).map(\.id) == ["X A", "X B", "X C"], "\(links) \(last ?? "")")
        #expect(pages.last?.cursor == .null)
      }
    }
    // The page after the last one does not exist.
    let cloud = ScriptedCloud([base + "1": [Self.page("A", next: "/Fleet/2")]])
    #expect(try await Self.pull(Self.session(.aemp, cloud).client).count == 2)
  }

  @Test(arguments: ["https://evil.example/api/Fleet/2", "http://cloud.example/api/Fleet/2"])
  func a_link_to_another_server_is_not_followed(_ link: String) async throws {
    let cloud = ScriptedCloud(["https://cloud.example/api/Fleet/1": [Self.page("A", next: link)]])
    await #expect(throws: ConnectorError.self) { _ = try await Self.pull(Self.session(.aemp, cloud).client) }
    #expect(cloud.sent.count == 1)
  }

  // MARK: Tesla

  @Test func a_vehicle_that_sleeps_is_not_woken() async throws {
    let base = "https://cloud.example/api/api/1/vehicles"
    let data = "/vehicle_data?endpoints=location_data%3Bcharge_state%3Bclimate_state%3Bdrive_state%3Bvehicle_state"
    let cloud = ScriptedCloud([
      base: [
        .ok(
          #"{"response":[{"vin":"5YJSA7E21JF230000","state":"online"},{"vin":"5YJ3E7EA3LF760000","state":"asleep"},"#
            + #"{"vin":"LRWXF7EK4KC700000","state":"online"}]}"#)
      ],
      "\(base)/5YJSA7E21JF230000\(data)": [.error(408)],
      "\(base)/LRWXF7EK4KC700000\(data)": [
        .ok(
          #"{"response":{"vin":"LRWXF7EK4KC700000","vehicle_state":{"odometer":1000,"timestamp":1705707520649}}}"#)
      ],
    ])
    let pages = try await Self.pull(Self.session(.tesla, cloud).client)
    #expect(pages.flatMap(\.records).map { $0.values["odometer"] } == [.number(1_609.344)])
    #expect(pages.map(\.ignored) == [["vehicle asleep": 1], ["vehicle asleep": 1], [:]])
    #expect(cloud.sent.count == 3 && !cloud.sent.contains { $0.url.contains("wake") })
  }

  // MARK: Headers

  /// Even if a setting with such a header was stored, no request with it is sent. The address has no server, so that a
  /// request would fail with another error.
  @Test(
    arguments: [
      ["Content-Length: 28"], ["host: internal.example"], ["Transfer-Encoding: chunked"], ["Proxy-Connection: x"],
      ["Expect: 100-continue"], ["X-Key: x\r\nInj: 1"], ["X-Key: x\u{0}y"], ["X-Key:"], ["X-Key;"], ["X Key: y"],
      ["Content-Type: text/plain", "content-type: application/json"],
    ])
  func a_header_that_changes_the_message_is_never_sent(_ headers: [String]) async throws {
    let client = ProviderClient(mayUseLoopback: true, mayUsePrivate: true, longest: 1_000, seconds: 5)
    do throws(ProviderFailure) {
      _ = try await client.fetch(ProviderClient.Request("http://127.0.0.1:9/", headers: headers, body: [1]))
      Issue.record("\(headers) were sent")
    } catch {
      #expect(error.description == "not headers that may be sent", "\(headers): \(error.description)")
    }
  }

  // MARK: Addresses

  @Test(arguments: ["http://127.0.0.1:9/", "http://localhost:9/", "http://[::1]:9/"])
  func a_private_address_is_refused_when_the_connection_is_made(_ url: String) async throws {
    let client = ProviderClient(mayUseLoopback: true, mayUsePrivate: false, longest: 1_000, seconds: 5)
    do throws(ProviderFailure) {
      _ = try await client.fetch(ProviderClient.Request(url))
      Issue.record("\(url) was fetched")
    } catch {
      #expect(error.description.contains("private network"), "\(error.description)")
    }
  }
}
