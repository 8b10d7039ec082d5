import FleetDomain
import Telemetry

/// The key of a machine in paths of ISO 15143-3: make, model and serial number.
struct AEMPMachine: Equatable, Sendable {
  let asset: String
  let make: String
  let model: String
  let serial: String

  /// Creates the key of an asset; `nil` if its make, model or serial number is missing.
  init?(_ asset: PulledAsset) {
    guard let make = asset.make, let model = asset.model, let serial = asset.serial else { return nil }
    (self.asset, self.make, self.model, self.serial) = (asset.id, make, model, serial)
  }

  init?(_ json: JSON) {
    let parts = json.elements.compactMap(\.textValue)
    guard parts.count == 4 else { return nil }
    (asset, make, model, serial) = (parts[0], parts[1], parts[2], parts[3])
  }

  var json: JSON { .array([asset, make, model, serial].map { .text($0) }) }
}

/// Pulls the faults of each machine, which some makers report only as a time series:
/// `…/Fleet/Equipment/MakeModelSerial/CAT/336/SYN00336/Faults/2024-09-20T00:00:00Z/2024-10-01T00:00:00Z/1`.
///
/// The service lists the machines of the fleet page by page. The faults of one machine may also have several pages. The
/// cursor of this stream contains the remaining machines of the current page, the cursor of the next page of machines,
/// the end of the period, and the URL of the next page of faults of the current machine. The server answers with 404
/// for a machine that has no faults or that it does not know.
struct AEMPFaults {
  static let stream = "faults"
  let client: AEMPClient

  /// The length of the period for which faults are pulled, s. The period ends at the time of the pull. Makers allow at
  /// most 14 days.
  private static let reach = 7 * 86_400

  func pull(after cursor: JSON) async throws(ConnectorError) -> PulledPage {
    let until = cursor["until"]?.time ?? client.now
    guard let machine = cursor["machines"]?.elements.first.flatMap({ AEMPMachine($0) }) else {
      let (fleet, machines) = try await client.fleet(after: cursor["fleet"] ?? .null)
      var page = PulledPage()
      page.assets = fleet.assets
      if machines.count < fleet.assets.count {
        page.ignore("faults of a machine without make, model and serial number", fleet.assets.count - machines.count)
      }
      Self.advance(&page, machines.map(\.json), fleet.isLast ? nil : fleet.cursor, until)
      return page
    }
    let rest = Array(cursor["machines"]?.elements.dropFirst() ?? [])
    let fleet = cursor["fleet"].flatMap { $0 == .null ? nil : $0 }
    var page = PulledPage()
    var next: String?
    do throws(ConnectorError) {
      (page, next) = try await client.series(try url(machine, cursor, until), of: machine.asset)
      // The series must belong to the machine of the fleet, even if its header lacks the PIN.
      for index in page.records.indices { page.records[index].asset = machine.asset }
      page.assets = []
    } catch {
      guard error.description.hasPrefix("status 404") else { throw error }
    }
    guard let next else {
      Self.advance(&page, rest, fleet, until)
      return page
    }
    Self.advance(&page, [machine.json] + rest, fleet, until, series: next)
    return page
  }

  private func url(_ machine: AEMPMachine, _ cursor: JSON, _ until: Timestamp) throws(ConnectorError) -> String {
    if let url = cursor["series"]?.filledText { return url }
    let key = [machine.make, machine.model, machine.serial].map { ConnectorSession.encoded($0) }.joined(separator: "/")
    let from = until.adding(nanoseconds: -(Int64(Self.reach) * 1_000_000_000))
    return "\(try client.service())/Fleet/Equipment/MakeModelSerial/\(key)/Faults/\(from.string)/\(until.string)/1"
  }

  /// Stores in the cursor of a pulled page what remains to be pulled. If nothing remains, marks the page as the last
  /// one.
  ///
  /// - Parameters:
  ///   - machines: the machines whose faults remain to be pulled.
  ///   - fleet: the cursor with which the list of the fleet's machines continues; `nil` if the list is complete.
  ///   - series: the URL at which the faults of the first of `machines` continue; `nil` if none of them were pulled
  ///     yet.
  private static func advance(
    _ page: inout PulledPage, _ machines: [JSON], _ fleet: JSON?, _ until: Timestamp, series: String? = nil
  ) {
    page.isLast = machines.isEmpty && fleet == nil
    guard !page.isLast else {
      page.cursor = .null
      return
    }
    var members: [String: JSON] = ["machines": .array(machines), "until": until.json]
    members["fleet"] = fleet
    members["series"] = series.map { .text($0) }
    page.cursor = .object(members)
  }
}
