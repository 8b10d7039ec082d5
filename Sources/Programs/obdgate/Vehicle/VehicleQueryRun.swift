import AdapterSession
import Failures
import OBDWire
import Ports

/// Asks one adapter one question: opens the port, runs the query, and returns the answer.
struct VehicleQueryRun {
  let name: String
  let address: PortAddress
  /// Time limit of the whole query, ns.
  let limit: Int64

  /// Opens the port, asks the question and closes the port.
  ///
  /// - Returns: the answer. It contains the reason if it is incomplete.
  func query(
    _ question: Question, plan: Bool = false, permission: ClearPermission? = nil,
    save: @escaping VehicleQuery.Save = { _ in }
  ) -> Answer {
    var query = VehicleQuery(
      question, at: address, limit: limit, name: name, permission: permission, save: save)
    var failure: Failure?
    do throws(PortError) {
      let wakeUp = try WakeUp()
      var loop = try PortLoop(wakeUp: wakeUp)
      var port = AddressedPort(address)
      try port.open(within: .nanoseconds(min(limit, Self.openingLimit)), unless: nil)
      defer { port.close() }
      try loop.run(&port, &query)
    } catch {
      failure = Failure(error.kind == .invalid ? .usage : .unavailable, error.description)
    }
    if failure == nil { failure = self.failure(of: query) }
    return Answer(
      records: query.makeRecords(device: address.device, plan: plan), failure: failure,
      vinDamage: query.vinDamage)
  }

  /// Time limit for opening a port, ns. For a Bluetooth device, this includes connecting and finding its channel.
  private static let openingLimit: Int64 = 15_000_000_000

  private func failure(of query: borrowing VehicleQuery) -> Failure? {
    let device = address.device
    switch query.outcome {
    case .answered: return nil
    case .noAdapter(let reason): return Failure(.unavailable, "\(device): \(reason.adapterText)")
    case .noVehicle(let reason): return Failure(.unavailable, "\(device): \(reason.vehicleText)")
    case .notPolledJ1939:
      return Failure(
        .unavailable, "\(device): the bus uses SAE J1939, which is not supported: connect to an OBD-II bus")
    case .refused(let reason): return Failure(.failed, "codes not cleared: \(reason.text)")
    case .notSaved(let error):
      return error as? Failure ?? Failure(.failed, "codes not cleared: they could not be written out first")
    case .outOfTime, nil:
      let time = "within \(query.seconds) s"
      if !query.wasFound { return Failure(.unavailable, "\(device): no adapter answers \(time)") }
      if !query.wasConnected {
        return Failure(
          .unavailable, "\(device): no vehicle answers \(time): turn the ignition on, or use a longer --timeout")
      }
      return Failure(.failed, "\(device): not all data were answered \(time): use a longer --timeout")
    }
  }
}

/// The answer to a question, as records.
struct Answer {
  let records: [FinishedRecord]
  /// The reason why the answer is incomplete; `nil` if it is complete.
  let failure: Failure?
  /// The kind of error in the last damaged reply to a request for the VIN; `nil` if no reply was damaged.
  let vinDamage: WireError.Kind?

  func of(_ type: String) -> [FinishedRecord] { records.filter { $0.type == type } }
}

extension PortAddress {
  /// The name of the device in records and messages. It does not contain the baud rate.
  var device: String {
    if case .serial(let path, _) = self { path } else { description }
  }
}

extension LossReason {
  /// The message for a query without an answer from an adapter.
  var adapterText: String {
    switch self {
    case .silent: "no answer: check that an adapter is connected and has power"
    case .gnssReceiver: "the device is a GPS receiver: name the adapter's device"
    default: "the device is not an ELM327: name the adapter's device, or its rate as in /dev/ttyUSB0@115200"
    }
  }

  /// The message for a query without an answer from a vehicle.
  fileprivate var vehicleText: String {
    self == .refused
      ? "the vehicle refuses to answer (refused): turn the ignition on"
      : "the vehicle does not answer (\(name)): turn the ignition on, and check that the adapter is plugged in firmly"
  }
}

extension ClearRefusal {
  fileprivate var text: String {
    switch self {
    case .moving: "the vehicle is moving: stop, with the engine off and the ignition on"
    case .engineRunning: "the engine is running: switch it off and the ignition on"
    case .notProven: "the vehicle does not report speed and engine speed, so it may be moving"
    case .notSaved: "codes or freeze frames could not be read, and would be lost"
    case .refusedByVehicle: "the vehicle refuses: switch the engine off and the ignition on"
    case .notConnected: "the vehicle no longer answers"
    }
  }
}
