import FleetAccess
import FleetDomain
import FleetProviders

/// Fetches the configuration document and the keys of an OpenID provider when they are needed, and caches both for an
/// hour.
actor OpenIDSource {
  /// The configuration document of a provider (OpenID Connect Discovery 1.0, section 3).
  struct Description: Sendable {
    let authorization: String
    let token: String
    let keys: String
    let endSession: String?
    /// Whether the client secret is sent in the header `Authorization` instead of the body.
    let usesBasic: Bool
    /// Whether all answers of the provider's authorization endpoint contain the issuer (RFC 9207).
    let namesIssuer: Bool
  }

  private static let freshness = Duration.seconds(3_600)
  /// The minimum time between two fetches of the keys, even if tokens refer to unknown keys.
  private static let pause = Duration.seconds(60)
  /// The time after a failed fetch during which nothing is fetched.
  private static let rest = Duration.seconds(5)

  nonisolated let provider: OpenIDProvider
  private let client: ProviderClient
  /// The permits for exchanging codes from browsers in which people have signed in before. Each of these people can use
  /// only a fair share of them.
  private let knownPermits: Budget
  /// The permits for exchanging all other codes. Each client address can use only a fair share of them. Therefore
  /// strangers with many codes do not prevent other people from signing in.
  private let permits: Budget
  private let mayUseLoopback: Bool
  private var description: (value: Description, at: ContinuousClock.Instant)?
  private var keys: (value: OpenIDKeys, at: ContinuousClock.Instant)?
  private var failure: (error: OpenIDError, at: ContinuousClock.Instant)?
  /// The fetches in progress, by URL. Requests that need the same document share one fetch.
  private var fetches: [String: Task<Result<JSON, OpenIDError>, Never>] = [:]

  /// Maximum number of codes that are exchanged at the same time: from known browsers, and from all others.
  private static let mostExchanges = 4
  /// The maximum time for which an exchange waits for a permit, in s.
  private static let patience = 30

  init(_ provider: OpenIDProvider) {
    self.provider = provider
    func newPermits() -> Budget {
      Budget(
        Self.mostExchanges, fairness: Budget.Fairness(group: 3), patience: .seconds(Self.patience),
        refusal: APIError(
          .serviceUnavailable, "providerUnavailable", "too many people sign in at this moment; try again",
          retryAfter: 10))
    }
    (knownPermits, permits) = (newPermits(), newPermits())
    mayUseLoopback = ProviderClient.isLoopback(provider.issuer)
    client = ProviderClient(
      mayUseLoopback: mayUseLoopback, longest: OpenIDKeys.longest, seconds: 10, isConcurrent: true)
  }

  /// Returns the provider's configuration document, from the cache or from the provider.
  ///
  /// - Throws: `unreachable` if the provider does not answer; `badProvider` if its answer is not usable.
  func describe() async throws(OpenIDError) -> Description {
    if let description, .now - description.at < Self.freshness { return description.value }
    let json = try await get(provider.discoveryURL)
    do throws(OpenIDError) {
      let read = try read(json)
      description = (read, .now)
      return read
    } catch {
      failure = (error, .now)
      throw error
    }
  }

  private func read(_ json: JSON) throws(OpenIDError) -> Description {
    guard json["issuer"] == .text(provider.issuer) else {
      throw OpenIDError(.badProvider, "its description is that of another issuer")
    }
    func endpoint(_ key: String) throws(OpenIDError) -> String? {
      guard let value = json[key] else { return nil }
      guard let text = value.textValue, ProviderClient.isAllowed(text, mayUseLoopback: mayUseLoopback) else {
        throw OpenIDError(.badProvider, "\(key) is not an address that may be used")
      }
      return text
    }
    guard let authorization = try endpoint("authorization_endpoint"), let token = try endpoint("token_endpoint"),
      let keys = try endpoint("jwks_uri")
    else { throw OpenIDError(.badProvider, "its description lacks an endpoint") }
    var usesBasic = true
    if case .array(let methods)? = json["token_endpoint_auth_methods_supported"] {
      usesBasic = methods.contains(.text("client_secret_basic"))
    }
    return Description(
      authorization: authorization, token: token, keys: keys, endSession: try endpoint("end_session_endpoint"),
      usesBasic: usesBasic, namesIssuer: json["authorization_response_iss_parameter_supported"] == .bool(true))
  }

  /// Returns the provider's keys. If the key that signed the token is not in the cache, the keys are fetched again, but
  /// at most once a minute.
  func keys(for token: JSONWebToken) async throws(OpenIDError) -> OpenIDKeys {
    if let keys, keys.value.hasKey(of: token), .now - keys.at < Self.freshness { return keys.value }
    if let keys, .now - keys.at < Self.pause { return keys.value }
    let address = try await describe().keys
    let fetched = try OpenIDKeys(try await get(address))
    keys = (fetched, .now)
    return fetched
  }

  /// Exchanges the authorization code of a sign-in at the provider's token endpoint (RFC 6749, section 4.1.3; RFC
  /// 7636).
  ///
  /// - Parameter origin: the browser, or the client's address, from which the code came.
  /// - Throws: 503 if too many other exchanges are in progress.
  func redeem(
    _ code: String, verifier: String, redirect: String, from origin: CallbackOrigin
  ) async throws -> (idToken: JSONWebToken, accessToken: String?) {
    let permit =
      switch origin {
      case .device(let owner): try await knownPermits.acquire(1, for: Holder(group: .peer(owner), key: nil))
      case .address(let address): try await permits.acquire(1, for: .address(address))
      }
    defer { permit.shrink(to: 0) }
    return try await redeem(code, verifier: verifier, redirect: redirect)
  }

  private func redeem(
    _ code: String, verifier: String, redirect: String
  ) async throws(OpenIDError) -> (idToken: JSONWebToken, accessToken: String?) {
    let description = try await describe()
    var form = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect), ("code_verifier", verifier),
    ]
    var headers = ["Content-Type: application/x-www-form-urlencoded", "Accept: application/json"]
    if let secret = provider.clientSecret, description.usesBasic {
      let pair = "\(PercentCoding.encode(provider.clientID)):\(PercentCoding.encode(secret))"
      headers.append("Authorization: Basic \(Self.base64(pair))")
    } else {
      form.append(("client_id", provider.clientID))
      if let secret = provider.clientSecret { form.append(("client_secret", secret)) }
    }
    let body = Array(form.map { "\($0)=\(PercentCoding.encode($1))" }.joined(separator: "&").utf8)
    let answer = try await send(.init(description.token, headers: headers, body: body))
    guard answer.status == 200, let json = try? JSON(parsing: answer.body) else {
      throw OpenIDError(.refused, "its token endpoint answered \(answer.status)")
    }
    guard let text = json["id_token"]?.textValue else { throw OpenIDError(.malformed, "there is no ID token") }
    return (try JSONWebToken(text), json["access_token"]?.textValue)
  }

  /// Returns a text in base64 with padding (RFC 4648, section 4).
  private static func base64(_ text: String) -> String {
    let encoded = Base64URL.text(Array(text.utf8)).replacing("-", with: "+").replacing("_", with: "/")
    return encoded + String(repeating: "=", count: (4 - encoded.utf8.count % 4) % 4)
  }

  private func get(_ url: String) async throws(OpenIDError) -> JSON {
    if let failure, .now - failure.at < Self.rest { throw failure.error }
    let fetch =
      fetches[url]
      ?? Task {
        let result = await fetched(url)
        fetches[url] = nil
        if case .failure(let error) = result { failure = (error, .now) } else { failure = nil }
        return result
      }
    fetches[url] = fetch
    return try await fetch.value.get()
  }

  private func fetched(_ url: String) async -> Result<JSON, OpenIDError> {
    do throws(OpenIDError) {
      let answer = try await send(.init(url, headers: ["Accept: application/json"]))
      guard answer.status == 200 else {
        throw OpenIDError(.badProvider, "it answered \(answer.status)")
      }
      guard let json = try? JSON(parsing: answer.body), case .object = json else {
        throw OpenIDError(.badProvider, "its answer is no JSON object")
      }
      return .success(json)
    } catch {
      return .failure(error)
    }
  }

  private func send(_ request: ProviderClient.Request) async throws(OpenIDError) -> ProviderClient.Answer {
    do throws(ProviderFailure) {
      return try await client.fetch(request)
    } catch {
      throw OpenIDError(.unreachable, error.description)
    }
  }
}

extension OpenIDProvider {
  /// Whether the issuer is an HTTPS URL or any URL of this machine, in both cases without query and fragment.
  public var isIssuerUsable: Bool {
    !issuer.contains("?") && ProviderClient.isAllowed(discoveryURL, mayUseLoopback: true)
  }
}
