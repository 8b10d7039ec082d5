import FleetDomain
import Telemetry

/// The access to one service, with one account.
///
/// Call order: for each of ``streams``, ``pull(_:after:)`` with the stored cursor, until a page is the last one. A page and
/// its cursor are stored before the next call. No call reads a clock or the database.
protocol ConnectorClient: Sendable {
  /// What is pulled, in this order in each round.
  var streams: [ConnectorStream] { get }

  /// Pulls one page.
  ///
  /// - Parameter cursor: the `cursor` of the previous page; `null` at the beginning.
  func pull(_ stream: ConnectorStream, after cursor: JSON) async throws(ConnectorError) -> PulledPage
}

/// One list of a service, with a cursor of its own.
struct ConnectorStream: Hashable, Sendable {
  let name: String
  /// The least time between two rounds, s: for lists that rarely change, or that the service limits.
  var pause: Int = 0
}

/// The reason why a page was not pulled.
struct ConnectorError: Error, Equatable {
  enum Kind: Equatable, Sendable {
    /// The secret is rejected.
    case refused
    /// The service asks to wait; the seconds are `nil` if it does not say how long.
    case rateLimited(seconds: Double?)
    /// The service does not accept the cursor any more.
    case cursorExpired
    /// The vehicle sleeps, so that the service has no values of it now.
    case asleep
    /// The service or the network does not work now.
    case unavailable
    /// The answer is not what the service documents.
    case malformed
    /// The settings of the connector are not complete.
    case settings
  }

  let kind: Kind
  /// The reason, safe to show: without secrets.
  let message: String

  init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }
}

/// One page of a stream.
struct PulledPage: Equatable, Sendable {
  var assets: [PulledAsset] = []
  var records: [PulledRecord] = []
  var readings: [PulledReading] = []
  /// The position after this page. It is stored with what the page has brought.
  var cursor = JSON.null
  /// Whether the stream has no more pages now.
  var isLast = true
  /// What was kept out, by reason, with its number.
  var ignored: [String: Int] = [:]

  mutating func ignore(_ reason: String, _ count: Int = 1) { ignored[reason, default: 0] += count }
}

/// A vehicle or machine in a page. A value that the page lacks is `nil`, and does not change the stored one.
struct PulledAsset: Equatable, Sendable {
  var id: String
  var vin: String?
  var serial: String?
  var name: String?
  var make: String?
  var model: String?
  var modelYear: Int64?
  var licencePlate: String?
  var category: Vehicle.Category?

  init(_ id: String) { self.id = id }

  /// Sets the VIN if it is a valid one.
  mutating func setVIN(_ text: String?) {
    guard let text = text?.uppercased(), NameRules.isVIN(text) else { return }
    vin = text
  }
}

/// A record in a page.
struct PulledRecord: Equatable, Sendable {
  /// The id of the asset.
  var asset: String
  var time: Timestamp
  /// The type of the record: `telemetry`, `dtc`, or one that only this service has.
  var type = "telemetry"
  /// The list of the service from which it comes. The record's id is derived from asset, time and series, so that a
  /// record that is pulled again is stored once.
  var series: String
  /// The members of the record after its head, in the units of the fleet.
  var values: [String: JSON]
}

/// A reading of an odometer or hour meter in a page.
struct PulledReading: Equatable, Sendable {
  enum Meter: Equatable, Sendable { case odometer, engineHours }

  var asset: String
  var at: Timestamp
  var meter: Meter
  /// km, or h.
  var value: Double
}
