import FleetDomain
import Telemetry

/// A client of one service with one account.
///
/// For each of ``streams``, the caller calls ``pull(_:after:)`` with the stored cursor until it returns the last page.
/// The caller stores each page and its cursor before the next call. A client reads no database.
protocol ConnectorClient: Sendable {
  /// The streams to pull. Each round pulls them in this order.
  var streams: [ConnectorStream] { get }

  /// Pulls one page.
  ///
  /// - Parameter cursor: the `cursor` of the previous page; `null` at the beginning.
  func pull(_ stream: ConnectorStream, after cursor: JSON) async throws(ConnectorError) -> PulledPage
}

/// A list in a service. Each list is pulled with a separate cursor.
struct ConnectorStream: Hashable, Sendable {
  let name: String
  /// Minimum time between two rounds, s. It is used for lists that rarely change or whose requests the service limits.
  var pause: Int = 0
}

/// The content of one page that was pulled from a stream.
struct PulledPage: Equatable, Sendable {
  var assets: [PulledAsset] = []
  var records: [PulledRecord] = []
  var readings: [PulledReading] = []
  var drivers: [PulledDriver] = []
  var duties: [PulledDuty] = []
  var defects: [PulledDefect] = []
  var charges: [PulledCharge] = []
  /// The cursor after this page. It is stored together with the content of the page.
  var cursor = JSON.null
  /// Whether this is the last page that the service has for the stream now.
  var isLast = true
  /// For each reason, the number of values in the page that were ignored.
  var ignored: [String: Int] = [:]

  mutating func ignore(_ reason: String, _ count: Int = 1) { ignored[reason, default: 0] += count }
}

/// A vehicle or machine in a pulled page. A property is `nil` if the page does not contain it; the stored value then
/// remains.
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

/// A record that was made from a pulled page.
struct PulledRecord: Equatable, Sendable {
  /// The ID of the asset.
  var asset: String
  var time: Timestamp
  /// The type of the record: `telemetry`, `dtc` or a type that only this service has.
  var type = "telemetry"
  /// The name of the service's list that contains the value. The record's ID is derived from asset, time and series, so
  /// a record that is pulled twice is stored once.
  var series: String
  /// The members of the record without the common ones (ID, time, vehicle), in the units of the fleet.
  var values: [String: JSON]
}

/// A reading of an odometer or hour meter in a pulled page.
struct PulledReading: Equatable, Sendable {
  enum Meter: Equatable, Sendable { case odometer, engineHours }

  var asset: String
  var at: Timestamp
  var meter: Meter
  /// The value in km for an odometer, in h for an hour meter.
  var value: Double
}

/// A driver in a pulled page. A property is `nil` if the page does not contain it.
struct PulledDriver: Equatable, Sendable {
  var id: String
  var name: String
  var phone: String?
  var licenceNumber: String?
}

/// A period with one duty status of a driver (hours of service), as pulled from another program.
struct PulledDuty: Equatable, Sendable {
  var driver: PulledDriver
  var status: DutyPeriod.Status
  var from: Timestamp
  /// The end of the period; `nil` while it lasts.
  var to: Timestamp?
  /// The ID of the asset; `nil` if the driver used none.
  var asset: String?
}

/// A defect that a driver or mechanic has reported in the other program.
struct PulledDefect: Equatable, Sendable {
  /// The defect's ID in the other program.
  var id: String
  var asset: String
  var at: Timestamp
  var text: String
  /// Whether the report says that the vehicle may not be driven.
  var isUnsafe = false
  var isResolved = false
}

/// The values that an asset reported about its charging at one time.
struct PulledCharge: Equatable, Sendable {
  /// A counter of the energy of the current charge.
  enum Counter: String, CaseIterable, Sendable {
    /// Energy from an AC supply, with the losses of the charger in the vehicle.
    case ac
    /// Energy that reached the battery.
    case battery
  }

  var asset: String
  var at: Timestamp
  /// Whether the asset was charging; `nil` if the report does not contain it.
  var isCharging: Bool?
  /// Values of the counters, kWh.
  var energy: [Counter: Double] = [:]
  /// Reading of the odometer, km; `nil` if the report does not contain it.
  var odometer: Double?
}
