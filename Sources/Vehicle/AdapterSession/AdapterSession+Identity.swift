import OBDWire

/// Identifies the vehicle by its VIN, and detects whether it was swapped for another vehicle.
extension AdapterSession {
  /// Handles an answer to the request for the VIN. The vehicle is a different one in two cases: its VIN differs from
  /// the stored VIN, or the previous vehicle reported no VIN.
  mutating func identify(_ reply: ReplyObserver) {
    guard reply.vinCount > 0 else {
      let isRefused = reply.failed(.noData) || reply.refusals > 0
      if isRefused, reply.messages == 0, !reply.isDamaged { handleMissingVIN() }
      return
    }
    let isKnown = memory.vinCount > 0
    let isSame = VehicleCapabilities.isSame(memory.vin, memory.vinCount, reply.vin, reply.vinCount)
    let isFirst = car.vinCount == 0
    car.vin = reply.vin
    car.vinCount = reply.vinCount
    memory.vin = reply.vin
    memory.vinCount = reply.vinCount
    vehicle.named.vinSender = reply.vinSender
    vehicle.named.protocolDigit = vehicle.protocolDigit
    if vehicle.isUnnamed || isKnown && !isSame {
      vehicle.isUnnamed = false
      forgetVehicle()
      events.append(.vehicleChanged)
      if !isFirst { discoverAgain() }
    } else if isFirst {
      events.append(.vehicleIdentified)
    }
  }

  /// Repeats the discovery, because the vehicle was swapped while the connection continued. The capabilities of the new
  /// vehicle's ECUs are unknown.
  private mutating func discoverAgain() {
    var fresh = VehicleCapabilities()
    fresh.isUDS = car.isUDS
    fresh.vin = car.vin
    fresh.vinCount = car.vinCount
    car = fresh
    connection?.jobs = JobQueue(Job.identification & ~Job.vin.bit | Job.codes)
    connection?.discoveriesLeft = Connection.discoveriesLimit
    connection?.phase = .discovering(base: 0, tries: 0)
  }

  /// Handles a vehicle that reports no VIN. If a VIN is known, this may be a different vehicle.
  mutating func handleMissingVIN() {
    guard memory.vinCount > 0, car.vinCount == 0, !car.anyHas(information: 0x02) else { return }
    let isAnother =
      vehicle.named.isDenied(by: car) || vehicle.named.isUnlike(car, protocolDigit: vehicle.protocolDigit)
    guard isAnother else { return }
    memory.vinCount = 0
    memory.vin = InlineArray(repeating: 0)
    vehicle.named = NamedVehicle()
    vehicle.isUnnamed = true
    forgetVehicle()
    events.append(.vehicleUnnamed)
  }

  /// Discards what was learned about the former vehicle.
  private mutating func forgetVehicle() {
    plan.forget()
    // Only this quirk belongs to the vehicle. All others belong to the adapter.
    memory.quirks.remove(.slowECU)
    vehicle.answerTime.pace = .usual
    memory.silentPIDs = PIDSet()
    power.forgetVehicle()
    learnDrive()
    isPlanOutdated = true
    vehicle.storedCodes = 0
    vehicle.pendingCodes = 0
  }
}
