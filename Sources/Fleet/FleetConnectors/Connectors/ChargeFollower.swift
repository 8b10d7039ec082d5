import FleetDomain
import Telemetry

/// Finds the charges of one asset from its successive reports, and returns each charge that has ended.
///
/// The state is stored with the asset in the transaction that stores the cursor, so each charge is returned once. A
/// charge is ignored if only its end was reported, because its start is unknown.
struct ChargeFollower: Equatable {
  /// A charge.
  struct Charge: Equatable {
    var from: Timestamp
    /// The time of the last report.
    var to: Timestamp
    /// The first and the last value of each counter, kWh.
    var counters: [PulledCharge.Counter: ClosedRange<Double>] = [:]
    var odometer: Double?

    /// The energy of the charge, kWh. It is the energy from the AC supply if that counter has increased or is the only
    /// counter; otherwise, the energy that reached the battery. `nil` if no counter was reported.
    var energy: Double? {
      let (ac, battery) = (counters[.ac], counters[.battery])
      if let ac, ac.upperBound > ac.lowerBound || battery == nil { return ac.upperBound }
      return battery?.upperBound
    }
  }

  /// The charge in progress; `nil` if there is none.
  private(set) var open: Charge?
  /// The time of the newest report; `nil` before the first report. Older reports are ignored, because a service may
  /// send reports repeatedly or out of order.
  private(set) var newest: Timestamp?

  /// If a counter decreases by more than this amount, a new charge has begun, kWh. Counters may decrease slightly while
  /// the vehicle heats its battery.
  private static let reset = 0.5
  /// The least energy of a charge that is not ignored, kWh.
  private static let least = 0.01

  init() {}

  /// Adds a report.
  ///
  /// - Returns: the charge that has ended; `nil` if none has.
  mutating func add(_ report: PulledCharge) -> Charge? {
    if let newest, report.at < newest { return nil }
    newest = report.at
    guard var charge = open else {
      if report.isCharging == true { open = Self.begin(report) }
      return nil
    }
    if charge.counters.contains(where: { key, range in
      report.energy[key].map { $0 < range.upperBound - Self.reset } ?? false
    }) {
      open = report.isCharging == false ? nil : Self.begin(report)
      return Self.ended(charge)
    }
    charge.add(report)
    guard report.isCharging == false else {
      open = charge
      return nil
    }
    open = nil
    return Self.ended(charge)
  }

  private static func begin(_ report: PulledCharge) -> Charge {
    var charge = Charge(from: report.at, to: report.at)
    charge.add(report)
    return charge
  }

  private static func ended(_ charge: Charge) -> Charge? { charge.energy.flatMap { $0 >= least ? charge : nil } }
}

extension ChargeFollower.Charge {
  fileprivate mutating func add(_ report: PulledCharge) {
    to = report.at
    odometer = report.odometer ?? odometer
    for (key, value) in report.energy {
      let range = counters[key] ?? value...value
      counters[key] = min(range.lowerBound, value)...max(range.upperBound, value)
    }
  }
}

extension ChargeFollower {
  /// Creates the state from the result of ``json``. A malformed value is treated as absent.
  init(json: JSON?) {
    newest = json?["newest"]?.time
    guard let charge = json?["open"], let from = charge["from"]?.time, let to = charge["to"]?.time else { return }
    var read = Charge(from: from, to: to, odometer: charge["odometer"]?.numberValue)
    for counter in PulledCharge.Counter.allCases {
      let values = charge[counter.rawValue]?.elements.compactMap(\.numberValue) ?? []
      if values.count == 2, values[0] <= values[1] { read.counters[counter] = values[0]...values[1] }
    }
    open = read
  }

  var json: JSON {
    var members: [String: JSON] = [:]
    members["newest"] = newest?.json
    if let open {
      var charge: [String: JSON] = ["from": open.from.json, "to": open.to.json]
      charge["odometer"] = open.odometer?.json
      for (key, range) in open.counters {
        charge[key.rawValue] = .array([range.lowerBound.json, range.upperBound.json])
      }
      members["open"] = .object(charge)
    }
    return .object(members)
  }
}
