import FleetAccess
import FleetDomain
import FleetProviders
import Telemetry

/// Sends requests of connectors, and returns answers of any status.
protocol ConnectorTransport: Sendable {
  func send(_ request: ProviderClient.Request) async throws(ProviderFailure) -> ProviderClient.Answer
}

extension ProviderClient: ConnectorTransport {
  func send(_ request: Request) async throws(ProviderFailure) -> Answer { try await fetch(request) }
}

/// The OAuth tokens of a connector.
struct ConnectorTokens: Equatable, Sendable {
  var access: String?
  var refresh: String?

  /// Parses the result of ``text``.
  init(parsing text: [UInt8]) {
    let json = try? JSON(parsing: text)
    (access, refresh) = (json?["access"]?.textValue, json?["refresh"]?.textValue)
  }

  init(access: String? = nil, refresh: String? = nil) { (self.access, self.refresh) = (access, refresh) }

  var text: [UInt8] {
    var members: [String: JSON] = [:]
    members["access"] = access.map { .text($0) }
    members["refresh"] = refresh.map { .text($0) }
    return Array(JSON.object(members).canonicalText.utf8)
  }
}

/// The storage of a connector's tokens.
protocol TokenStore: Sendable {
  func tokens() async throws(ConnectorError) -> ConnectorTokens
  /// Stores new tokens durably. A refresh token can be used only once, so this is done before the access token is used.
  func store(_ tokens: ConnectorTokens) async throws(ConnectorError)
}

/// Sends the requests of one connector, with its authentication.
struct ConnectorSession: Sendable {
  let settings: Connector
  /// The secret; `nil` if the connector has none.
  let secret: String?
  let transport: any ConnectorTransport
  let store: any TokenStore
  /// Returns the current time.
  let now: @Sendable () -> Timestamp

  /// Sends a GET request and returns the answer if its status is 200.
  ///
  /// If the service rejects the access token, fetches a new one and repeats the request once.
  ///
  /// - Throws: an error for any other status.
  func get(_ url: String, accept: String = "application/json") async throws(ConnectorError) -> ProviderClient.Answer {
    var answer = try await send(url, accept, isRenewing: false)
    if answer.status == 401, usesTokens { answer = try await send(url, accept, isRenewing: true) }
    try Self.check(answer)
    return answer
  }

  /// Sends a GET request and returns the JSON of the answer.
  func json(_ url: String) async throws(ConnectorError) -> JSON {
    try Self.json(try await get(url))
  }

  static func json(_ answer: ProviderClient.Answer) throws(ConnectorError) -> JSON {
    do throws(FieldError) {
      return try JSON(parsing: answer.body)
    } catch {
      throw ConnectorError(.malformed, "the answer is not JSON: \(error.message)")
    }
  }

  private var signIn: Connector.SignIn { settings.signIn ?? .standard(of: settings.service) }

  private var usesTokens: Bool {
    switch signIn {
    case .bearer, .basic, .apiKey: false
    case .clientCredentials, .password, .refreshToken, .plainToken: true
    }
  }

  private func send(
    _ url: String, _ accept: String, isRenewing: Bool
  ) async throws(ConnectorError) -> ProviderClient.Answer {
    var headers = ["Accept: \(accept)"]
    switch signIn {
    case .bearer: headers.append("Authorization: Bearer \(try required(secret, "secret"))")
    case .basic: headers.append("Authorization: \(try basic())")
    case .apiKey: headers.append("\(settings.keyHeader ?? "X-API-Key"): \(try required(secret, "secret"))")
    case .clientCredentials, .password, .refreshToken, .plainToken:
      let tokens = try await store.tokens()
      var access = isRenewing ? nil : tokens.access
      if access == nil { access = try await newToken(tokens) }
      headers.append("Authorization: Bearer \(access ?? "")")
    }
    return try await deliver(ProviderClient.Request(url, headers: headers))
  }

  private func deliver(_ request: ProviderClient.Request) async throws(ConnectorError) -> ProviderClient.Answer {
    do throws(ProviderFailure) {
      return try await transport.send(request)
    } catch {
      throw ConnectorError(.unavailable, error.description)
    }
  }

  /// Fetches an access token, and stores it together with the refresh token.
  private func newToken(_ old: ConnectorTokens) async throws(ConnectorError) -> String {
    let address = try required(settings.tokenAddress ?? settings.service.tokenAddress, "tokenAddress")
    if signIn == .plainToken {
      let answer = try await deliver(
        ProviderClient.Request(address, headers: ["Accept: text/plain", "Authorization: \(try basic())"]))
      try Self.checkSignIn(answer)
      let token = String(decoding: answer.body, as: UTF8.self).trimmed
      try await store.store(ConnectorTokens(access: try Self.token(token)))
      return token
    }
    var form: [(String, String?)]
    switch signIn {
    case .password:
      form = [
        ("grant_type", "password"), ("username", settings.userName), ("password", try required(secret, "secret")),
        ("client_id", settings.clientID),
      ]
    case .refreshToken:
      form = [
        ("grant_type", "refresh_token"), ("refresh_token", try required(old.refresh, "refreshToken")),
        ("client_id", settings.clientID), ("client_secret", secret),
      ]
    default:
      form = [
        ("grant_type", "client_credentials"), ("client_id", try required(settings.clientID, "clientId")),
        ("client_secret", try required(secret, "secret")),
      ]
    }
    form.append(("scope", settings.scope))
    let answer = try await deliver(
      ProviderClient.Request(
        address, headers: ["Accept: application/json", "Content-Type: application/x-www-form-urlencoded"],
        body: Array(Self.encoded(form).utf8)))
    try Self.checkSignIn(answer)
    let json = try Self.json(answer)
    // Some providers send only an ID token.
    guard let access = json["access_token"]?.filledText ?? json["id_token"]?.filledText else {
      throw ConnectorError(.malformed, "the answer to the sign-in has no access_token")
    }
    let token = try Self.token(access)
    try await store.store(
      ConnectorTokens(access: token, refresh: json["refresh_token"]?.filledText ?? old.refresh))
    return token
  }

  /// Returns the token if it consists of visible ASCII characters, so that it can be sent in a header; otherwise throws
  /// an error.
  private static func token(_ text: String) throws(ConnectorError) -> String {
    guard (1...16_384).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw ConnectorError(.malformed, "the answer to the sign-in is not a token")
    }
    return text
  }

  private static func checkSignIn(_ answer: ProviderClient.Answer) throws(ConnectorError) {
    // A server answers 400 if the secret or refresh token is wrong (RFC 6749, section 5.2).
    if answer.status == 400 || answer.status == 401 || answer.status == 403 {
      throw ConnectorError(.refused, "the sign-in is rejected (\(answer.status))\(reason(answer))")
    }
    try check(answer)
  }

  private func basic() throws(ConnectorError) -> String {
    let text = "\(try required(settings.userName, "userName")):\(try required(secret, "secret"))"
    return "Basic \(Base64.text(Array(text.utf8)))"
  }

  private func required(_ value: String?, _ name: String) throws(ConnectorError) -> String {
    guard let value, RequestHeader.isValue(value) else {
      throw ConnectorError(.settings, "\(name): expected a value")
    }
    return value
  }

  // MARK: Answers

  /// Checks the status of an answer.
  static func check(_ answer: ProviderClient.Answer) throws(ConnectorError) {
    switch answer.status {
    case 200: return
    case 401, 403, 407: throw ConnectorError(.refused, "access is rejected (\(answer.status))\(reason(answer))")
    case 408: throw ConnectorError(.asleep, "the vehicle does not answer (408)")
    case 412, 421:
      throw ConnectorError(
        .settings, "address: the account is not known there (\(answer.status))\(reason(answer))")
    case 429:
      throw ConnectorError(
        .rateLimited(seconds: Double(answer.retryAfter)), "too many requests (429)\(reason(answer))")
    case 400, 410, 422:
      let text = reason(answer)
      let isOfCursor = text.lowercased().contains("cursor")
      throw ConnectorError(
        isOfCursor ? .cursorExpired : .malformed, "the request is rejected (\(answer.status))\(text)")
    default: throw ConnectorError(.unavailable, "status \(answer.status)\(reason(answer))")
    }
  }

  /// Returns the reason that an answer contains, as one line of at most 200 characters. Words of more than 40 bytes,
  /// which may be tokens, are replaced by `…`, so that the line can be shown to people.
  private static func reason(_ answer: ProviderClient.Answer) -> String {
    let json = try? JSON(parsing: answer.body)
    let text =
      json?["message"]?.filledText ?? json?["error_description"]?.filledText ?? json?["error"]?.filledText ?? ""
    let words = text.split(whereSeparator: \.isWhitespace).map { $0.utf8.count > 40 ? "…" : String($0) }
    let line = words.joined(separator: " ").prefix(200)
    return line.isEmpty || !NameRules.isVisible(String(line)) ? "" : ": \(line)"
  }

  // MARK: Texts

  /// Returns a query or form with percent-encoding (RFC 3986, section 2.1). Members without a value are omitted.
  static func encoded(_ members: [(String, String?)]) -> String {
    members.compactMap { name, value in value.map { "\(name)=\(encoded($0))" } }.joined(separator: "&")
  }

  static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Connector.SignIn {
  /// The default sign-in of a service.
  static func standard(of service: Connector.Service) -> Self {
    switch service {
    case .samsara: .bearer
    case .aemp: .clientCredentials
    case .tesla, .ford: .refreshToken
    }
  }
}

extension Connector.Service {
  /// The usual address of the vendor; `nil` if each account has its own address.
  var address: String? {
    switch self {
    case .samsara: "https://api.samsara.com"
    case .aemp: nil
    case .tesla: "https://fleet-api.prd.eu.vn.cloud.tesla.com"
    case .ford: "https://api.vehicle.ford.com"
    }
  }

  var tokenAddress: String? {
    switch self {
    case .samsara, .aemp: nil
    case .tesla: "https://fleet-auth.prd.vn.cloud.tesla.com/oauth2/v3/token"
    case .ford: "https://api.vehicle.ford.com/dah2vb2cprod.onmicrosoft.com/oauth2/v2.0/token?p=B2C_1A_FCON_AUTHORIZE"
    }
  }

  /// The default time between two pulls, s.
  var period: Int64 {
    switch self {
    case .samsara: 30
    // Machines report once an hour, and vendors limit how often a page may be read.
    case .aemp: 3_600
    // Tesla charges for each request.
    case .tesla: 600
    case .ford: 120
    }
  }
}
