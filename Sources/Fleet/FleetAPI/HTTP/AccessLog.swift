import FleetAccess
import FleetDomain
import HTTPTypes
import Logging
import Telemetry

/// Logs one text line for each request, if `accessLog` is on:
///
///     access: 10.0.0.7 default token 0193e0f2-… GET /api/vehicles/VAN-001/telemetry 200 18231 B 12.3 ms
///
/// A line contains no query, header or body. A segment of the path that contains a key is replaced by `…`.
struct AccessLog: Sendable {
  /// The logger; `nil` if the log is off.
  let logger: Logger?

  func log(
    _ address: String?, _ identity: Identity?, _ method: String, _ target: String, _ status: Int, bytes: Int,
    _ duration: Duration
  ) {
    guard let logger else { return }
    let tenths = Int(duration / .microseconds(100))
    let caller = identity.map(Self.name) ?? "- -"
    logger.info(
      "access: \(address ?? "-") \(caller) \(method) \(Self.path(target)) \(status) \(bytes) B \(tenths / 10).\(tenths % 10) ms"
    )
  }

  private static func name(_ identity: Identity) -> String {
    switch identity.principal {
    case .gateway(let gateway, let tenant): "\(tenant) gateway \(path(gateway.id))"
    case .token(let token, let tenant): "\(tenant) token \(id(token.id))"
    case .person(let signedIn, let tenant): "\(tenant) person \(id(signedIn.person))"
    }
  }

  private static func id(_ id: UUIDv7) -> String {
    let text = id.text
    return String(decoding: (0..<36).map { text[$0] }, as: UTF8.self)
  }

  /// Whether a character may occur in a word of a log line. Other characters are replaced by `?`.
  private static func isShown(_ character: Character) -> Bool {
    !character.isWhitespace && character.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
  }

  /// Returns the path of a request without its query and without keys, shortened to 256 bytes.
  static func path(_ target: String) -> String {
    let path = target.prefix { $0 != "?" && $0 != "#" }
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      Secret.isOne(in: PercentCoding.decode(segment) ?? String(segment)) ? "…" : segment
    }
    var text = segments.joined(separator: "/")
    if text.utf8.count > 256 { text = text.prefix(255) + "…" }
    return String(text.map { isShown($0) ? $0 : "?" })
  }
}
