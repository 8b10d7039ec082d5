import FleetDomain
import Telemetry

/// Finds the vehicle of each record, and checks whether the sender may write for that vehicle. One resolver is used for
/// one tenant, in one transaction.
struct VehicleResolver {
  private struct Query: Hashable {
    var vehicleId: String
    /// The gateway that sent the record; `nil` if the source is not a gateway, or if the gateway is unknown.
    var gateway: String?
  }

  /// The sender for which new vehicles are counted: a gateway or, for an import, all gateways in the batch together.
  private struct NewVehicleSender: Hashable {
    var job: Int
    var gateway: String
  }

  private let tenant: Int32
  private var byId: [String: VehicleRow] = [:]
  private var byVIN: [String: String] = [:]
  /// The results of earlier queries.
  private var answers: [Query: Result<Int32, RecordRefusal>] = [:]
  /// The last query and its result; `nil` before the first query. With it, a batch of one vehicle needs only one
  /// look-up.
  private var last: (query: Query, answer: Result<Int32, RecordRefusal>)?
  /// For each query, whether a list of another gateway contains the vehicle's ID or VIN.
  private var ofOthers: [Query: Bool] = [:]
  /// For each gateway with a list that is too long for a linear search, the vehicles in this list.
  private var allowed: [String: Set<String>] = [:]
  /// For each sender, the number of vehicles in the batch that the sender has not used before.
  private var newVehicles: [NewVehicleSender: Int] = [:]
  /// For each gateway, the number of vehicles that it has registered, including vehicles of this transaction.
  private var registered: [String: Int64] = [:]
  /// The index of the current batch.
  private var job = 0
  /// Whether the current batch is an import.
  private var isImport = false
  /// The existing vehicles that had no registering gateway or no VIN until a record of this transaction determined it.
  /// The key is the vehicle's ID, and the value is the gateway that sent the record.
  private var changed: [String: String] = [:]

  init(tenant: Int32) { self.tenant = tenant }

  /// Reads the vehicles to which the records of these batches refer.
  mutating func read(_ jobs: [IngestJob], _ transaction: some StoreSession) throws(StoreFailure) {
    var names: Set<String> = []
    var previous = ""
    for job in jobs {
      for record in job.records {
        if record.vehicleId != previous { names.insert(record.vehicleId) }
        previous = record.vehicleId
        if let vin = record.vin, NameRules.isVIN(vin) { names.insert(vin) }
      }
    }
    guard !names.isEmpty else { return }
    for vehicle in try transaction.vehicles(named: names.sorted(), tenant: tenant) { add(vehicle) }
  }

  /// Sets the batch to which the next records belong.
  mutating func begin(job: Int, from source: IngestSource) {
    self.job = job
    isImport = source == .trusted
    last = nil
  }

  /// Returns the key of the vehicle to which a record belongs, or the reason why the record is rejected. The record's
  /// `vehicleId` is the ID of the vehicle or, if no vehicle has this ID, its VIN. If there is no such vehicle either,
  /// registers a new one.
  mutating func vehicle(
    of record: IncomingRecord, from source: IngestSource, at now: Timestamp, _ transaction: some StoreSession
  ) throws(StoreFailure) -> Result<Int32, RecordRefusal> {
    var gateway: Gateway?
    if case .gateway(let sender) = source {
      guard record.gatewayId == sender.id else {
        return .failure(
          RecordRefusal(
            .foreignGateway, key: "gatewayId",
            "expected \(Self.quoted(sender.id)), whose key was given, found \(Self.quoted(record.gatewayId))"))
      }
      gateway = sender
    }
    let query = Query(vehicleId: record.vehicleId, gateway: gateway?.id)
    let answer: Result<Int32, RecordRefusal>
    if let last, last.query == query {
      answer = last.answer
    } else if let known = answers[query] {
      answer = known
    } else {
      answer = try find(record, source, now, transaction)
      // This refusal applies only to this batch, so it is not kept as the answer for later batches.
      if case .failure(let refusal) = answer, refusal.kind == .tooManyVehicles { return answer }
      answers[query] = answer
    }
    last = (query, answer)
    if record.vin != nil, case .success = answer { try learnVIN(of: record, source, transaction) }
    return answer
  }

  /// Updates the existing vehicles for which records of this transaction have determined the registering gateway or the
  /// VIN.
  func write(_ transaction: some StoreSession, at now: Timestamp) throws(StoreFailure) {
    for (id, gateway) in changed.sorted(by: { $0.key < $1.key }) {
      guard let vehicle = byId[id] else { continue }
      try transaction.update(vehicle, tenant: tenant, by: gateway, at: now.milliseconds)
    }
  }

  private mutating func add(_ vehicle: VehicleRow) {
    byId[vehicle.id] = vehicle
    if let vin = vehicle.vin { byVIN[vin] = vehicle.id }
  }

  private func named(_ name: String) -> VehicleRow? { byId[name] ?? byVIN[name].flatMap { byId[$0] } }

  private mutating func find(
    _ record: IncomingRecord, _ source: IngestSource, _ now: Timestamp, _ transaction: some StoreSession
  ) throws(StoreFailure) -> Result<Int32, RecordRefusal> {
    var gateway: Gateway?
    if case .gateway(let sender) = source { gateway = sender }
    let name = record.vehicleId
    guard var vehicle = named(name) else {
      // A gateway that was registered by an earlier version may have such an id, and keeps sending records.
      guard NameRules.isNewName(name) || name == gateway?.id else {
        return .failure(
          RecordRefusal(
            .invalidValue, key: "vehicleId",
            "expected \(NameRules.expectedNewName), found \(Self.quoted(name))"))
      }
      if let gateway, !gateway.allowedVehicles.isEmpty {
        // If the gateway has a list, the list limits the number of vehicles.
        guard name == gateway.id || isAllowed(name, gateway) else { return .failure(Self.foreign(record, gateway)) }
      } else if let refusal = countNew(record) {
        return .failure(refusal)
      } else if let gateway, name != gateway.id {
        guard try !isOfOther([name], than: gateway.id, transaction) else {
          return .failure(Self.foreign(record, gateway))
        }
        if let refusal = try countRegistered(record, by: gateway, transaction) { return .failure(refusal) }
      }
      let vin = NameRules.isVIN(name) ? name : try learnable(record, source, transaction)
      let isOwn = name == record.gatewayId && vin == nil
      let isListed = if let gateway { isAllowed(name, gateway) } else { try transaction.isListed(name, tenant: tenant) }
      let added = try transaction.register(
        NewVehicle(
          tenant: tenant, id: name, vin: vin, registeredBy: record.gatewayId, at: now.milliseconds,
          isGateway: isOwn && !isListed))
      add(added)
      return .success(added.key)
    }
    if let gateway {
      let isOwn: Bool
      if vehicle.id == gateway.id {
        // Until a gateway knows its vehicle, its records contain the gateway's own id as `vehicleId`. `gap` records
        // always contain it.
        isOwn = true
      } else if !gateway.allowedVehicles.isEmpty {
        isOwn = ([name, vehicle.id] + (vehicle.vin.map { [$0] } ?? [])).contains { isAllowed($0, gateway) }
      } else if vehicle.registeredBy == nil {
        if let refusal = countNew(record) { return .failure(refusal) }
        isOwn = try !isOfOther([vehicle.id] + (vehicle.vin.map { [$0] } ?? []), than: gateway.id, transaction)
      } else {
        isOwn = vehicle.registeredBy == gateway.id
      }
      guard isOwn else { return .failure(Self.foreign(record, gateway)) }
    }
    if vehicle.registeredBy == nil {
      vehicle.registeredBy = record.gatewayId
      byId[vehicle.id] = vehicle
      changed[vehicle.id] = record.gatewayId
    }
    return .success(vehicle.key)
  }

  private mutating func learnVIN(
    of record: IncomingRecord, _ source: IngestSource, _ transaction: some StoreSession
  ) throws(StoreFailure) {
    guard var vehicle = named(record.vehicleId), vehicle.vin == nil,
      let vin = record.vin == vehicle.id && NameRules.isVIN(vehicle.id)
        ? vehicle.id : try learnable(record, source, transaction)
    else { return }
    vehicle.vin = vin
    // The record contains a VIN, so the gateway knows its vehicle. If its `vehicleId` is still the gateway's ID, this
    // is also the configured ID of the vehicle.
    vehicle.isGateway = false
    add(vehicle)
    changed[vehicle.id] = record.gatewayId
  }

  /// Returns the VIN in a record if this VIN may be stored for the record's vehicle; otherwise `nil`. The VIN must not
  /// be the ID or VIN of another vehicle, and must not be in another gateway's list of vehicles. If the gateway is
  /// unknown, as for a record from a broker, the VIN must not be in any gateway's list.
  private mutating func learnable(
    _ record: IncomingRecord, _ source: IngestSource, _ transaction: some StoreSession
  ) throws(StoreFailure) -> String? {
    let sender = source == .broker ? nil : record.gatewayId
    guard let vin = record.vin, NameRules.isVIN(vin), named(vin) == nil else { return nil }
    // Each new VIN costs a look-up, so the number for each batch is limited. If every record contains another VIN, only
    // the first VINs of a batch are considered.
    if ofOthers[Query(vehicleId: vin, gateway: sender)] == nil, countNew(record) != nil { return nil }
    return try isOfOther([vin], than: sender, transaction) ? nil : vin
  }

  /// Whether the list of a gateway other than `gateway` contains a vehicle.
  ///
  /// - Parameters:
  ///   - names: the vehicle's id and, if it has one, its VIN.
  ///   - gateway: the gateway that sent the record; `nil` if unknown.
  private mutating func isOfOther(
    _ names: [String], than gateway: String?, _ transaction: some StoreSession
  ) throws(StoreFailure) -> Bool {
    for name in names {
      let query = Query(vehicleId: name, gateway: gateway)
      let answer: Bool
      if let known = ofOthers[query] {
        answer = known
      } else {
        answer = try transaction.isOfOther(name, than: gateway, tenant: tenant)
        ofOthers[query] = answer
      }
      if answer { return true }
    }
    return false
  }

  private mutating func isAllowed(_ name: String, _ gateway: Gateway) -> Bool {
    if gateway.allowedVehicles.count <= 8 { return gateway.allowedVehicles.contains(name) }
    if let known = allowed[gateway.id] { return known.contains(name) }
    let names = Set(gateway.allowedVehicles)
    allowed[gateway.id] = names
    return names.contains(name)
  }

  /// Counts a vehicle that is new to the sender. The number of such vehicles is limited, because each of them costs
  /// statements in a transaction that delays all tenants.
  ///
  /// - Returns: the refusal if there are too many; otherwise `nil`.
  private mutating func countNew(_ record: IncomingRecord) -> RecordRefusal? {
    let newcomer = NewVehicleSender(job: job, gateway: isImport ? "" : record.gatewayId)
    let limit = isImport ? TenantLimits.newVehiclesOfImport : TenantLimits.newVehiclesOfBatch
    let count = newVehicles[newcomer, default: 0]
    guard count < limit else {
      return RecordRefusal(
        .tooManyVehicles, key: "vehicleId",
        "expected at most \(limit) new vehicles in one batch, found one more, \(Self.quoted(record.vehicleId)): send it in a later batch"
      )
    }
    newVehicles[newcomer] = count + 1
    return nil
  }

  /// Counts a vehicle that a gateway without a list of vehicles registers.
  ///
  /// - Returns: the refusal if the gateway has registered too many; otherwise `nil`.
  private mutating func countRegistered(
    _ record: IncomingRecord, by gateway: Gateway, _ transaction: some StoreSession
  ) throws(StoreFailure) -> RecordRefusal? {
    let count: Int64
    if let known = registered[gateway.id] {
      count = known
    } else {
      count = try transaction.registeredVehicles(of: gateway.id, tenant: tenant)
    }
    guard count < TenantLimits.vehiclesOfGateway else {
      registered[gateway.id] = count
      return RecordRefusal(
        .tooManyVehicles, key: "vehicleId",
        "expected at most \(TenantLimits.vehiclesOfGateway) vehicles registered by one gateway, found one more, \(Self.quoted(record.vehicleId)): add it to the gateway's vehicles"
      )
    }
    registered[gateway.id] = count + 1
    return nil
  }

  private static func foreign(_ record: IncomingRecord, _ gateway: Gateway) -> RecordRefusal {
    let own =
      gateway.allowedVehicles.isEmpty
      ? "a vehicle that \(quoted(gateway.id)) has registered first"
      : "one of " + ([gateway.id] + gateway.allowedVehicles.prefix(8)).map { quoted($0) }.joined(separator: ", ")
    return RecordRefusal(
      .foreignVehicle, key: "vehicleId", "expected \(own), found \(quoted(record.vehicleId))")
  }

  private static func quoted(_ text: String) -> String { RecordRefusal.quoted(text) }
}
