import FleetDomain
import FleetProviders
import Peers
import Telemetry

/// A server of machines by ISO 15143-3: pages of the fleet's snapshot.
///
/// The address is that of the service, to which `/Fleet/1` is added, or contains `{page}`.
struct AEMPClient: ConnectorClient {
  let session: ConnectorSession

  private static let accept =
    "application/iso15143-snapshot+json, application/json;q=0.9, application/xml;q=0.8, text/xml;q=0.7"

  var streams: [ConnectorStream] { [ConnectorStream(name: "fleet")] }

  func pull(_ stream: ConnectorStream, after cursor: JSON) async throws(ConnectorError) -> PulledPage {
    let url: String
    if let next = cursor["url"]?.filledText { url = next } else { url = try first() }
    let number = cursor["page"]?.integerValue ?? 1
    let answer: ProviderClient.Answer
    do throws(ConnectorError) {
      answer = try await session.get(url, accept: Self.accept)
    } catch {
      // The page after the last one does not exist at some makers.
      guard number > 1, error.message.hasPrefix("status 404") else { throw error }
      return PulledPage()
    }
    var (page, next) = try AEMPMapping.fleet(answer.body, hasMinutes: url.contains("/minutes/"))
    guard let next, !page.assets.isEmpty else { return page }
    let following = try resolved(next, from: url)
    // Some makers link the last page to itself, or to the first one.
    guard let place = Self.number(following), place > Self.number(url) ?? number else { return page }
    page.cursor = .object(["url": .text(following), "page": .integer(place)])
    page.isLast = false
    return page
  }

  private func first() throws(ConnectorError) -> String {
    guard let address = session.settings.address else {
      throw ConnectorError(.settings, "address: expected the address of the service")
    }
    if address.contains("{page}") { return address.replacing("{page}", with: "1") }
    return (address.hasSuffix("/") ? String(address.dropLast()) : address) + "/Fleet/1"
  }

  /// Returns the address of a link. It must be of the same server, because the requests have the connector's secret.
  private func resolved(_ link: String, from url: String) throws(ConnectorError) -> String {
    let schemes = [("https", 443), ("http", 80)].map { (name: $0.0, port: $0.1) }
    guard let base = ServiceURL(String(url.prefix { $0 != "?" }), schemes: schemes) else {
      throw ConnectorError(.settings, "address: expected https://…")
    }
    if link.contains("://") {
      guard let target = ServiceURL(String(link.prefix { $0 != "?" }), schemes: schemes), target.isSameServer(as: base),
        target.scheme == base.scheme
      else { throw ConnectorError(.malformed, "the link to the next page leads to another server") }
      return link
    }
    guard link.hasPrefix("/") else {
      let folder = url.prefix { $0 != "?" }
      return String(folder.prefix(upTo: folder.lastIndex(of: "/") ?? folder.endIndex)) + "/" + link
    }
    // The address of the server as it was written, because a port that is added would become part of the header `Host`.
    let start = "\(base.scheme)://"
    let server = start + url.dropFirst(start.count).prefix { $0 != "/" && $0 != "?" }
    // Some makers give the path from the root of the server, and others from that of the service.
    if let range = base.path.firstRange(of: "/Fleet"), link.hasPrefix("/Fleet") {
      return "\(server)\(base.path[..<range.lowerBound])\(link)"
    }
    return server + link
  }

  /// The number at the end of the path; `nil` if there is none.
  private static func number(_ url: String) -> Int64? {
    let path = url.prefix { $0 != "?" }
    return path.split(separator: "/").last.flatMap { Int64($0) }
  }
}
