import NMEAWire
import OBDWire
import Telemetry

extension Fusion {
  /// Adds a reading of one signal.
  ///
  /// Readings of services 01, 21 and 22 and the adapter's own readings become telemetry. Readings of service 02 become
  /// the freeze frame of the next `dtc` record. The counters of service 09 are ignored.
  ///
  /// - Parameter reading: the value, its signal, and the ECU that sent it.
  public mutating func reading<Sink: RecordSink & ~Copyable>(
    _ reading: Reading, at time: Int64, into sink: inout Sink
  ) {
    tick(time, into: &sink)
    guard let ecu = index(of: reading.origin.ecu) else {
      droppedReadings += 1
      return
    }
    if reading.service == 0x02 { return freezeFrameReading(reading, of: ecu) }
    guard let column = column(of: reading.signal) else { return }
    let bit: UInt16 = 1 << UInt16(ecu)
    if columns[column].fresh & bit != 0, options.cadence == .cycle, let newest { cut(at: newest, into: &sink) }
    if columns[column].values[ecu] != reading.value { hasChanged = true }
    columns[column].values[ecu] = reading.value
    columns[column].storeTime(now, of: ecu)
    columns[column].fresh |= bit
    if columns[column].known & bit == 0 { recordAnswer(of: ecu, in: column) }
    if columns[column].role != .none { apply(columns[column].role, reading, column: column, ecu: ecu) }
    newest = now
    if columns[column].window > 0 { lastRead = now }
    if columns[column].motion != .none {
      follow(columns[column].motion, reading.value, column: column, ecu: ecu, into: &sink)
    }
  }

  /// Adds a fix. `time` is the time at which the fix was received; the time of day in the fix is not used.
  ///
  /// - Parameter privacy: precision with which records show the position.
  public mutating func fix<Sink: RecordSink & ~Copyable>(
    _ fix: Fix, at time: Int64, privacy: PositionPrivacy = .full, into sink: inout Sink
  ) {
    tick(time, into: &sink)
    position.privacy = privacy
    // A receiver may send several fixes in one poll cycle. Therefore, a second fix ends a record only if the record
    // would have no other values.
    if position.isFresh, options.cadence == .cycle, let newest, !columns.contains(where: { $0.fresh != 0 }) {
      cut(at: newest, into: &sink)
    }
    position.fix = PositionState.Received(fix: fix, time: min(time, now))
    position.isFresh = true
    newest = now
    follow(fix, into: &sink)
  }

  /// Returns the index of the ECU that has the given address, and adds the ECU if it is new. Returns `nil` for a ninth
  /// ECU, which is not added.
  @inline(__always)
  mutating func index(of address: ECUAddress) -> Int? {
    if ecus[lastECU].address == address { return lastECU }
    return find(address)
  }

  private mutating func find(_ address: ECUAddress) -> Int? {
    for index in ecus.indices where ecus[index].address == address {
      lastECU = index
      return index
    }
    guard ecus.count <= Self.maximumECUs else { return nil }
    lastECU = ecus.count
    ecus.append(ECUState(address))
    ecuOrder.append(lastECU)
    ecuOrder.sort { ecus[$0].address.sortKey < ecus[$1].address.sortKey }
    allECUs = [0] + ecuOrder
    return lastECU
  }

  /// Returns the column of a signal; `nil` if the signal is not telemetry.
  @inline(__always)
  private mutating func column(of signal: SignalID) -> Int? {
    let slot =
      signal.isLoaded
      ? saeSignals.count + Int(signal.rawValue - SignalID.firstLoaded) : Int(signal.rawValue)
    guard slot < columnOfSignal.count else { return nil }
    let entry = columnOfSignal[slot]
    if entry != 0 { return entry == Self.notTelemetry ? nil : Int(entry) - 1 }
    return newColumn(of: signal, slot: slot)
  }

  private mutating func newColumn(of signal: SignalID, slot: Int) -> Int? {
    let column: Int
    if signal.isLoaded {
      let index = slot - saeSignals.count
      let representative = loadedKeys.representatives[index]
      if representative != index {
        let first = SignalID(rawValue: SignalID.firstLoaded + UInt16(representative))
        guard let shared = self.column(of: first) else { return nil }
        column = shared
      } else {
        var loaded = Column(name: .loaded(index), content: Column.Content(options.loadedSignals[index].kind))
        loaded.window = window(ofSlot: slot)
        column = append(loaded)
      }
    } else {
      let row = saeSignals.span[slot]
      guard row.definition.service != 9 else {
        columnOfSignal[slot] = Self.notTelemetry
        return nil
      }
      // For oxygen sensors, the table has several rows with the same name, one for each layout of the answer. These
      // rows share a column.
      let name = key(of: row)
      let existing = columns.firstIndex { $0.isNamed(name) }
      column = existing ?? append(Column(row, name: name))
      columns[column].window = window(ofSlot: slot)
    }
    columnOfSignal[slot] = UInt16(column + 1)
    return column
  }

  /// Sets the time for which records repeat values, from the next record on.
  public mutating func setWindows(_ windows: SignalWindows) {
    options.windows = windows
    for slot in columnOfSignal.indices where columnOfSignal[slot] != 0 && columnOfSignal[slot] != Self.notTelemetry {
      columns[Int(columnOfSignal[slot]) - 1].window = window(ofSlot: slot)
    }
  }

  private func window(ofSlot slot: Int) -> Int64 {
    guard slot < saeSignals.count else {
      let index = slot - saeSignals.count
      return index < options.windows.loaded.count ? options.windows.loaded[index] : 0
    }
    let definition = saeSignals.span[slot].definition
    switch definition.service {
    case 0: return options.windows.adapter
    case 1: return options.windows.parameters[Int(definition.identifier & 0xFF)]
    default: return 0
    }
  }

  /// Returns the speed that the vehicle reported last, km/h; `nil` if it reported none, or if this reading is older
  /// than 3 s.
  public func vehicleSpeed(at time: Int64) -> Double? {
    guard let speedColumn else { return nil }
    let owner = Int(columns[speedColumn].owner)
    guard time - columns[speedColumn].times[owner] <= Self.speedWindow else { return nil }
    return columns[speedColumn].values[owner]
  }

  /// Stops the repetition of known values in records, because the vehicle no longer answers.
  mutating func forgetValues() {
    for column in columns.indices { columns[column].times = InlineArray(repeating: .min / 2) }
    lastRead = .min / 2
  }

  /// Adds a column at the end, and returns its index.
  mutating func append(_ column: Column) -> Int {
    columns.append(column)
    return columns.count - 1
  }

  /// Returns the key of a signal: its plain name, or its VSS path. The path is used if VSS names are configured, the
  /// signal has a path, and no signal with another name has the same path.
  private func key(of row: SAESignal) -> StaticString {
    guard options.naming == .vss, row.vss.utf8CodeUnitCount > 0 else { return row.name }
    guard let taken = columns.firstIndex(where: { $0.isNamed(row.vss) }) else { return row.vss }
    let holder = columnOfSignal.firstIndex(of: UInt16(taken + 1))
    guard let holder, holder < saeSignals.count else { return row.name }
    return saeSignals.span[holder].name.isEqual(to: row.name) ? row.vss : row.name
  }

  /// Uses a value for the purpose that its column's role defines. Telemetry does not depend on the role.
  private mutating func apply(_ role: Column.Role, _ reading: Reading, column: Int, ecu: Int) {
    switch role {
    case .none: break
    case .engineSpeed: recordEngineSpeed(of: ecu)
    case .vehicleSpeed: speedColumn = column
    case .mil:
      ecus[ecu].mil = ECUState.Timed(value: reading.value, time: now)
      if ecus[ecu].needsMILReport { hasNewDiagnosis = true }
    case .distanceMIL:
      ecus[ecu].distanceMIL = ECUState.Timed(value: reading.value, time: now)
    case .monitor:
      let (bit, isSet) = (columns[column].bit, reading.value != 0)
      let position = reading.origin.position
      if columns[column].parameter == 0x01 {
        ecus[ecu].sinceClear.receive(bit: bit, value: isSet, position: position)
      } else {
        ecus[ecu].thisCycle.receive(bit: bit, value: isSet, position: position)
      }
      hasNewDiagnosis = true
    case .fuelType:
      guard identity.fuelTypeCode == nil || columns[column].owner == ecu, identity.fuelTypeCode != reading.value else {
        return
      }
      identity.fuelTypeCode = reading.value
      identity.addDetails()
    case .obdStandard:
      guard identity.obdStandardCode == nil || columns[column].owner == ecu, identity.obdStandardCode != reading.value
      else { return }
      identity.obdStandardCode = reading.value
      identity.addDetails()
    }
  }
}

extension Column {
  /// Whether the column has this built-in name. Always `false` for a column of a signal that was loaded at run time.
  func isNamed(_ name: StaticString) -> Bool {
    if case .table(let own) = self.name { own.isEqual(to: name) } else { false }
  }
}

extension StaticString {
  /// Whether both strings contain the same characters.
  func isEqual(to other: StaticString) -> Bool {
    guard utf8CodeUnitCount == other.utf8CodeUnitCount else { return false }
    for index in 0..<utf8CodeUnitCount {
      // `index` is less than the length of both.
      if unsafe utf8Start[index] != other.utf8Start[index] { return false }
    }
    return true
  }
}
