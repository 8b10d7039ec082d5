import FleetDomain
import FleetProviders
import Peers
import Telemetry

/// A client of a server for construction machines that implements ISO 15143-3. It reads the fleet's snapshot page by
/// page.
///
/// The configured address is either the address of the service, to which `/Fleet/1` is appended, or a URL with
/// `{page}`.
struct AEMPClient: ConnectorClient {
  let session: ConnectorSession

  private static let accept =
    "application/iso15143-snapshot+json, application/json;q=0.9, application/xml;q=0.8, text/xml;q=0.7"

  /// The time between two rounds in which the faults of all machines are pulled, s.
  private static let faultPause = 6 * 3_600

  var streams: [ConnectorStream] {
    let fleet = ConnectorStream(name: "fleet")
    return session.settings.readsFaults
      ? [fleet, ConnectorStream(name: AEMPFaults.stream, pause: Self.faultPause)] : [fleet]
  }

  func pull(_ stream: ConnectorStream, after cursor: JSON) async throws(ConnectorError) -> PulledPage {
    guard stream.name == AEMPFaults.stream else { return try await fleet(after: cursor).page }
    return try await AEMPFaults(client: self).pull(after: cursor)
  }

  /// Pulls a page of the fleet, and returns it with the keys of its machines.
  func fleet(after cursor: JSON) async throws(ConnectorError) -> (page: PulledPage, machines: [AEMPMachine]) {
    let url: String
    if let next = cursor["url"]?.filledText { url = next } else { url = try first() }
    let number = cursor["page"]?.integerValue ?? 1
    let answer: ProviderClient.Answer
    do throws(ConnectorError) {
      answer = try await session.get(url, accept: Self.accept)
    } catch {
      // With some makers, the request for the page after the last one is answered with 404.
      guard number > 1, error.description.hasPrefix("status 404") else { throw error }
      return (PulledPage(), [])
    }
    var (page, next) = try AEMPMapping.fleet(answer.body, hasMinutes: url.contains("/minutes/"))
    let machines = page.assets.compactMap { AEMPMachine($0) }
    guard let next, !page.assets.isEmpty else { return (page, machines) }
    let following = try resolved(next, from: url)
    // With some makers, the last page links to itself or to the first page.
    guard let place = Self.number(following), place > Self.number(url) ?? number else { return (page, machines) }
    page.cursor = .object(["url": .text(following), "page": .integer(place)])
    page.isLast = false
    return (page, machines)
  }

  /// Pulls one page of a time series. Also returns the address of the next page; `nil` for the last page.
  func series(
    _ url: String, of asset: String
  ) async throws(ConnectorError) -> (page: PulledPage, next: String?) {
    let answer = try await session.get(url, accept: Self.accept)
    let (page, next) = try AEMPMapping.series(answer.body, of: asset)
    guard let next else { return (page, nil) }
    let following = try resolved(next, from: url)
    // A server may link from the last page to itself.
    return (page, following == url ? nil : following)
  }

  /// The address of the service, without the path of the fleet.
  func service() throws(ConnectorError) -> String {
    let first = try first()
    guard let range = first.firstRange(of: "/Fleet/") else {
      throw ConnectorError(.settings, "readsFaults: expected an address with /Fleet/")
    }
    return String(first[..<range.lowerBound])
  }

  var now: Timestamp { session.now() }

  private func first() throws(ConnectorError) -> String {
    guard let address = session.settings.address else {
      throw ConnectorError(.settings, "address: expected the address of the service")
    }
    if address.contains("{page}") { return address.replacing("{page}", with: "1") }
    return (address.hasSuffix("/") ? String(address.dropLast()) : address) + "/Fleet/1"
  }

  /// Returns the absolute URL of a link. Throws an error if the URL is on another server, because requests contain the
  /// connector's secret.
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
    // The server's address exactly as written: an added port would become part of the header `Host`.
    let start = "\(base.scheme)://"
    let server = start + url.dropFirst(start.count).prefix { $0 != "/" && $0 != "?" }
    // Some makers write the path from the root of the server, others from the root of the service.
    if let range = base.path.firstRange(of: "/Fleet"), link.hasPrefix("/Fleet") {
      return "\(server)\(base.path[..<range.lowerBound])\(link)"
    }
    return server + link
  }

  /// Returns the number at the end of the URL's path; `nil` if there is none.
  private static func number(_ url: String) -> Int64? {
    let path = url.prefix { $0 != "?" }
    return path.split(separator: "/").last.flatMap { Int64($0) }
  }
}
