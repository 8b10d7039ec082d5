import OBDWire
import Telemetry

extension Fusion {
  /// Adds a text of service 09: VIN, ECU name, calibration ID or calibration verification number.
  ///
  /// - Parameters:
  ///   - text: the kind of text, its index, and the ECU that sent it.
  ///   - bytes: the text without padding; valid during the call.
  public mutating func text<Sink: RecordSink & ~Copyable>(
    _ text: TextReading, _ bytes: Span<UInt8>, at time: Int64, into sink: inout Sink
  ) {
    tick(time, into: &sink)
    guard let ecu = index(of: text.origin.ecu) else {
      droppedReadings += 1
      return
    }
    switch text.kind {
    case .vin: receiveVIN(bytes, of: ecu)
    case .ecuName:
      if replaceBytes(&ecus[ecu].name, with: bytes) { identity.addDetails() }
    case .calibrationID:
      if Self.replace(&ecus[ecu].calibrationIDs, at: text.index, with: bytes) { identity.addDetails() }
    case .calibrationVerificationNumber:
      if Self.replace(&ecus[ecu].verificationNumbers, at: text.index, with: bytes) { identity.addDetails() }
    case .other: break
    }
  }

  /// Adds a bitmap of the identifiers that an ECU supports.
  ///
  /// - Parameters:
  ///   - bitmap: one bit for each identifier. The most significant bit stands for `base` + 1, the least significant bit
  ///     for `base` + 32.
  ///   - service: 0x01, or 0x22 with the bases F400, F420 and so on; other services and bases are ignored.
  public mutating func supported<Sink: RecordSink & ~Copyable>(
    _ bitmap: UInt32, service: UInt8, base: UInt16, origin: Origin, at time: Int64, into sink: inout Sink
  ) {
    tick(time, into: &sink)
    let isUDS = service == 0x22 && base & 0xFF00 == 0xF400
    guard service == 0x01 && base <= 0xFF || isUDS, base & 0x1F == 0 else { return }
    guard let ecu = index(of: origin.ecu) else {
      droppedReadings += 1
      return
    }
    let word = Int(base & 0xFF) / 32
    ecus[ecu].reported |= 1 << UInt8(word)
    guard ecus[ecu].parameters[word] != bitmap else { return }
    ecus[ecu].parameters[word] = bitmap
    ecus[ecu].speaksUDS = isUDS
    identity.addDetails()
    if ecus[ecu].supports(0x0C) { recordEngineSpeed(of: ecu) }
  }

  /// Adds information about the adapter: its identification, or the protocol in use.
  ///
  /// - Parameters:
  ///   - answer: the kind of information.
  ///   - bytes: the adapter's answer; valid during the call.
  public mutating func adapter<Sink: RecordSink & ~Copyable>(
    _ answer: AdapterAnswer, _ bytes: Span<UInt8>, at time: Int64, into sink: inout Sink
  ) {
    tick(time, into: &sink)
    switch answer {
    case .identity: adapterIdentity = String(latin1: bytes)
    case .protocolName: storeProtocol(ProtocolName.text(fromDescription: bytes))
    case .protocolNumber: storeProtocol(ProtocolName.text(fromNumber: bytes))
    case .description, .other: break
    }
  }

  /// Evaluates a command that was sent to the adapter. If the command selects a protocol (for example `ATSP6`), records
  /// name that protocol until the adapter reports the protocol in use.
  @inline(__always)
  public mutating func command(_ command: Span<UInt8>) {
    guard command.count >= 5, command[0] & 0xDF == UInt8(ascii: "A") else { return }
    storeSetting(command)
  }

  private mutating func storeSetting(_ command: Span<UInt8>) {
    let text = String(latin1: command).uppercased().filter { $0 > " " }
    guard text.hasPrefix("ATSP") || text.hasPrefix("ATTP") else { return }
    identity.protocolSetting = ProtocolName.text(fromNumber: Array(text.utf8.dropFirst(4)).span)
  }

  /// The CAN protocol that follows from the addresses of the ECUs, as the name of the bus; `nil` if the addresses are
  /// not CAN addresses.
  private var protocolOfAddresses: String? {
    let addresses = ecuOrder.map { ecus[$0].address }
    if addresses.contains(where: { $0.kind == .can11 }) { return "ISO 15765-4 (CAN 11)" }
    return addresses.contains { $0.kind == .can29 } ? "ISO 15765-4 (CAN 29)" : nil
  }

  private mutating func storeProtocol(_ name: String?) {
    guard let name, name != identity.protocolName else { return }
    identity.protocolName = name
    identity.addDetails()
  }

  private static func replace(_ list: inout [[UInt8]], at index: UInt8, with bytes: Span<UInt8>) -> Bool {
    // The standard allows up to 255 items, but no vehicle has more than a few.
    guard index < 32 else { return false }
    while list.count <= Int(index) { list.append([]) }
    return replaceBytes(&list[Int(index)], with: bytes)
  }

  // MARK: The VIN

  private mutating func receiveVIN(_ bytes: Span<UInt8>, of ecu: Int) {
    let column =
      vinColumn ?? append(Column(name: .table(key("vin", vss: "Vehicle.VehicleIdentification.VIN")), content: .vin))
    vinColumn = column
    let bit: UInt16 = 1 << UInt16(ecu)
    if columns[column].known & bit == 0 { recordAnswer(of: ecu, in: column) }
    columns[column].fresh |= bit
    newest = now
    let isAnother = !ecus[ecu].vin.isEmpty
    guard replaceBytes(&ecus[ecu].vin, with: bytes) else { return trips.vehicleReturned() }
    if isAnother || identity.isUnnamed || hasStranger(to: ecu) { forgetVehicle(except: ecu) }
    identity.isUnnamed = false
    chooseVIN()
  }

  /// Returns the VSS path if VSS names are configured, otherwise the plain key.
  func key(_ name: StaticString, vss: StaticString) -> StaticString { options.naming == .vss ? vss : name }

  /// Sets the vehicle's VIN to the VIN that the engine ECU reported. If the engine ECU reported none, the VIN of the
  /// ECU with the lowest address is used.
  mutating func chooseVIN() {
    var chosen: Int?
    for ecu in ecuOrder where !ecus[ecu].vin.isEmpty {
      if chosen == nil || ecus[ecu].hasEngineSpeed && !(chosen.map { ecus[$0].hasEngineSpeed } ?? false) {
        chosen = ecu
      }
    }
    let found = ecus[chosen ?? 0].vin
    guard !found.isEmpty, found != identity.vin else { return }
    identity.vin = found
    identity.vinText = String(latin1: found)
    identity.pendingChange = .vin
    let isReadable = found.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    guard options.vehicleId == nil else { return }
    let former = identity.id
    identity.id = isReadable ? identity.vinText : options.unknownVehicleId
    // Earlier records contain the former ID, so they are not assigned to this vehicle. Report the codes and monitors
    // again.
    if identity.id != former { repeatDiagnosis() }
  }

  /// Handles a vehicle that no longer answers. The next vehicle that answers may be a different one.
  public mutating func vehicleLost() {
    identity.wasLost = true
    trips.vehicleLost(at: now)
    forgetValues()
    for ecu in ecus.indices { ecus[ecu].reported = 0 }
  }

  /// Handles the change from a vehicle with a known VIN to a vehicle that reports no VIN.
  public mutating func vehicleUnnamed<Sink: RecordSink & ~Copyable>(at time: Int64, into sink: inout Sink) {
    tick(time, into: &sink)
    identity.isUnnamed = true
    if !identity.vin.isEmpty {
      forgetVehicle(except: nil)
      identity.vin = []
      identity.vinText = ""
      identity.pendingChange = .none
      identity.id = options.vehicleId ?? options.unknownVehicleId
    }
    // The decision about a trip of the previous session may have waited for the VIN.
    recordTrips(into: &sink)
  }

  /// Whether an ECU of another vehicle is still known. This is an ECU that has not answered since ``vehicleLost()`` was
  /// called, and whose VIN differs from the VIN of ECU `ecu`.
  private func hasStranger(to ecu: Int) -> Bool {
    identity.wasLost && ecus.contains { $0.reported == 0 && !$0.vin.isEmpty && $0.vin != ecus[ecu].vin }
  }

  /// Discards all data of the previous vehicle. Data that were read after ``vehicleLost()`` was called belong to the
  /// new vehicle and are kept.
  ///
  /// - Parameter ecu: the ECU that reported the new VIN. Its data are kept. `nil` if no ECU reported a new VIN.
  private mutating func forgetVehicle(except ecu: Int?) {
    endTripOfFormerVehicle()
    for index in ecus.indices {
      var fresh = ECUState(ecus[index].address)
      if index == ecu { fresh.vin = ecus[index].vin }
      if identity.wasLost { restoreReported(of: index, in: &fresh) }
      ecus[index] = fresh
    }
    identity.fuelTypeCode = nil
    identity.obdStandardCode = nil
    forgetValues()
    chooseOwners()
  }

  private mutating func restoreReported(of ecu: Int, in fresh: inout ECUState) {
    let former = ecus[ecu]
    fresh.reported = former.reported
    for word in 0..<8 where former.reported >> UInt8(word) & 1 == 1 { fresh.parameters[word] = former.parameters[word] }
    fresh.speaksUDS = former.reported != 0 && former.speaksUDS
    fresh.hasEngineSpeed = fresh.supports(0x0C)
    guard former.reported == 0 else { return }
    // The ECU is not part of the new vehicle, so its values are no longer at the top level of records.
    for column in columns.indices { columns[column].known &= ~(1 << UInt16(ecu)) }
  }

  // MARK: The record

  /// Writes the `vehicle` record if the VIN is known.
  mutating func writeVehicle<Sink: RecordSink & ~Copyable>(at time: Int64, into sink: inout Sink) {
    guard !identity.vin.isEmpty else { return }
    identity.pendingChange = .none
    identity.recordedAt = time
    let judged = VIN(identity.vin.span)
    var record = VehicleRecord(vin: identity.vinText, vinValid: judged.isValid)
    record.make = judged.make
    record.modelYear = judged.modelYear
    record.protocolName = identity.protocolName ?? identity.protocolSetting ?? protocolOfAddresses
    for ecu in allECUs {
      let state = ecus[ecu]
      var entry = VehicleRecord.ECU(address: state.addressText)
      entry.name = state.name.isEmpty ? nil : String(latin1: state.name)
      entry.calibrations = state.calibrations
      entry.supportedPids = state.supportedPids
      // The entry for answers without headers is listed only if it contains something.
      if ecu == 0, entry == VehicleRecord.ECU(address: nil) { continue }
      record.ecus.append(entry)
    }
    record.fuelType = identity.fuelTypeCode.map { Self.text(of: .fuelType, code: $0) }
    record.obdStandard = identity.obdStandardCode.map { Self.text(of: .obdRequirements, code: $0) }
    write(record, at: time, into: &sink)
  }

  private static func text(of enumeration: SAEEnumeration, code: Double) -> RecordValue {
    guard let number = UInt32(exactly: code),
      let text = SAEEnumerations.text(enumeration: enumeration.rawValue, code: number)
    else { return .number(code) }
    return .text(text.description)
  }
}
