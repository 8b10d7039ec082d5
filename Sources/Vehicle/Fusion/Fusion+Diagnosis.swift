import OBDWire
import Telemetry

extension Fusion {
  /// Maximum age of the MIL state, and of the distance driven with the MIL on, in a `dtc` record, ns. It is twice the
  /// usual interval between readings of the trouble codes.
  private static let attachmentAge: Int64 = 120_000_000_000
  /// Time after which codes and monitors are reported again although they have not changed: one day, ns.
  private static let snapshotPeriod: Int64 = 86_400_000_000_000
  /// At the start of a trip, all codes and monitors are reported again if their last report is at least this old, ns.
  private static let shortestSnapshotPeriod: Int64 = 600_000_000_000

  /// Adds a list of trouble codes that an ECU sent. An empty list means that the ECU has no codes of this kind.
  ///
  /// Stored, pending and permanent codes arrive in three answers. The next `dtc` record contains all lists that have
  /// arrived before it is made.
  ///
  /// - Parameters:
  ///   - list: the kind of codes, and the ECU that sent them.
  ///   - codes: the codes; valid during the call.
  public mutating func troubleCodes<Sink: RecordSink & ~Copyable>(
    _ list: TroubleCodeList, _ codes: Span<TroubleCode>, at time: Int64, into sink: inout Sink
  ) {
    tick(time, into: &sink)
    guard let ecu = index(of: list.origin.ecu) else {
      droppedReadings += 1
      return
    }
    repeatDiagnosis(after: Self.snapshotPeriod)
    switch list.kind {
    case .stored where list.service == 0x19: receiveByStatus(codes, mask: list.statusMask, of: ecu)
    case .stored:
      ecus[ecu].stored.receive(codes, service: list.service)
      recordStoredCodes(of: ecu)
    case .pending: ecus[ecu].pending.receive(codes, service: list.service)
    case .permanent: ecus[ecu].permanent.receive(codes, service: list.service)
    case .freezeFrame: ecus[ecu].frames[frame(list.subfunction, of: ecu)].receive(codes)
    case .other: return
    }
    if list.kind != .freezeFrame { ecus[ecu].receivedCodes() }
    hasNewDiagnosis = true
  }

  // MARK: Repetition

  /// Reports the known codes and monitors of all ECUs again, because the vehicle's ID has changed.
  mutating func repeatDiagnosis() {
    guard options.repeatsDiagnosis else { return }
    snapshotTime = now
    for ecu in ecus.indices { ecus[ecu].repeatDiagnosis(.now) }
    hasNewDiagnosis = true
  }

  /// At the start of a trip, ensures that codes and monitors are reported again after the next answer.
  mutating func repeatDiagnosisOfTrip() { repeatDiagnosis(after: Self.shortestSnapshotPeriod) }

  /// Causes codes and monitors to be reported again after the next answer, unless their last report is recent. A server
  /// that has lost earlier records thus gets the codes and monitors again.
  ///
  /// - Parameter age: minimum age of the last report of all codes and monitors, ns.
  private mutating func repeatDiagnosis(after age: Int64) {
    guard options.repeatsDiagnosis else { return }
    guard let last = snapshotTime else {
      snapshotTime = now
      return
    }
    guard now - last >= age else { return }
    snapshotTime = now
    for ecu in ecus.indices { ecus[ecu].repeatDiagnosis(.afterAnswer) }
  }

  private static let confirmed: UInt8 = 0x08
  private static let pending: UInt8 = 0x04

  /// Adds an answer of service 19. The status byte of each code determines whether the code is stored or pending (ISO
  /// 14229-1, annex D.2).
  ///
  /// The answer contains only codes with at least one status bit that is also set in `mask`. Therefore, if the mask is
  /// unknown (0), the answer may lack all pending codes, or all stored codes, of the ECU.
  private mutating func receiveByStatus(_ codes: Span<TroubleCode>, mask: UInt8, of ecu: Int) {
    var stored: [TroubleCode] = []
    var pending: [TroubleCode] = []
    for index in codes.indices {
      let status = codes[index].status
      // A code without a status counts as stored.
      if status == 0 || status & Self.confirmed != 0 { stored.append(codes[index]) }
      if status & Self.pending != 0 { pending.append(codes[index]) }
    }
    if mask == 0 ? !stored.isEmpty || pending.isEmpty : mask & Self.confirmed != 0 {
      ecus[ecu].stored.receive(stored.span, service: 0x19)
      recordStoredCodes(of: ecu)
    }
    if mask == 0 ? !pending.isEmpty : mask & Self.pending != 0 {
      ecus[ecu].pending.receive(pending.span, service: 0x19)
    }
  }

  /// Adds a value of a freeze frame (service 02).
  mutating func freezeFrameReading(_ reading: Reading, of ecu: Int) {
    ecus[ecu].frames[frame(reading.frame, of: ecu)].receive(reading.signal, reading.value)
    hasNewDiagnosis = true
  }

  private mutating func frame(_ number: UInt8, of ecu: Int) -> Int {
    if let index = ecus[ecu].frames.firstIndex(where: { $0.number == number }) { return index }
    ecus[ecu].frames.append(FreezeFrameState(number: number))
    return ecus[ecu].frames.count - 1
  }

  /// Adds an ECU's stored codes to the telemetry record of the interval in which they were read.
  private mutating func recordStoredCodes(of ecu: Int) {
    let column =
      codesColumn
      ?? append(Column(name: .table(key("dtcCodes", vss: "Vehicle.Diagnostics.DTCList")), content: .troubleCodes))
    codesColumn = column
    let bit: UInt16 = 1 << UInt16(ecu)
    if columns[column].known & bit == 0 { recordAnswer(of: ecu, in: column) }
    columns[column].fresh |= bit
    newest = now
  }

  // MARK: Records

  /// Writes records of the monitors and trouble codes that have changed.
  mutating func writeDiagnosis<Sink: RecordSink & ~Copyable>(at time: Int64, into sink: inout Sink) {
    hasNewDiagnosis = false
    for ecu in allECUs {
      writeMonitors(of: ecu, .sinceClear, at: time, into: &sink)
      writeMonitors(of: ecu, .thisCycle, at: time, into: &sink)
      // The values of a freeze frame arrive in several answers. Wait until they are complete, so that one record
      // contains both the codes and the freeze frame.
      if !isFinishing, ecus[ecu].frames.contains(where: \.isBeingRead) {
        hasNewDiagnosis = true
      } else {
        writeCodes(of: ecu, at: time, into: &sink)
      }
      for index in ecus[ecu].frames.indices { ecus[ecu].frames[index].isBeingRead = false }
    }
  }

  private mutating func writeMonitors<Sink: RecordSink & ~Copyable>(
    of ecu: Int, _ scope: MonitorsRecord.Scope, at time: Int64, into sink: inout Sink
  ) {
    let state = scope == .sinceClear ? ecus[ecu].sinceClear : ecus[ecu].thisCycle
    guard state.needsReport else { return }
    var record = MonitorsRecord(ecu: ecus[ecu].addressText, ignition: state.ignition, scope: scope)
    (record.complete, record.incomplete) = state.lists(supportedBy: scope == .thisCycle ? ecus[ecu].sinceClear : nil)
    if scope == .sinceClear { ecus[ecu].sinceClear.setReported() } else { ecus[ecu].thisCycle.setReported() }
    write(record, at: time, into: &sink)
  }

  private mutating func writeCodes<Sink: RecordSink & ~Copyable>(
    of ecu: Int, at time: Int64, into sink: inout Sink
  ) {
    let state = ecus[ecu]
    if state.needsCodesReport {
      var record = Self.codesRecord(of: state)
      let frame = state.frames.firstIndex { frame in
        frame.isReady && (frame.code.map { record.mentions($0.string) } ?? true)
      }
      attach(frame, to: &record, of: ecu, at: time)
      ecus[ecu].stored.setReported()
      ecus[ecu].pending.setReported()
      ecus[ecu].permanent.setReported()
      ecus[ecu].codesRepetition = .none
      write(record, at: time, into: &sink)
    }
    // The following code handles freeze frames of ECUs whose lists of codes are unchanged. A freeze frame that arrived
    // after the lists, or that belongs to another code, has its own record. Skip a freeze frame whose code was not
    // read.
    for index in ecus[ecu].frames.indices where ecus[ecu].frames[index].isReady {
      guard let code = ecus[ecu].frames[index].code else { continue }
      var record = Self.codesRecord(of: ecus[ecu])
      record.event = .changed
      record.changed = [code.string]
      attach(index, to: &record, of: ecu, at: time)
      write(record, at: time, into: &sink)
    }
  }

  /// Makes a record of an ECU's current codes, and of their changes since the last report.
  private static func codesRecord(of state: ECUState) -> DTCRecord {
    let lists = [state.stored, state.pending, state.permanent].filter(\.isKnown)
    let isFirst = lists.contains { $0.reported == nil }
    let before = lists.flatMap { $0.reported ?? [] }
    let after = lists.flatMap(\.codes)
    let appeared = CodeList.missing(from: before, in: after)
    let gone = CodeList.missing(from: after, in: before)
    let event: DTCRecord.Event =
      if isFirst || state.codesRepetition == .now && appeared.isEmpty && gone.isEmpty {
        .snapshot
      } else if gone.isEmpty, !appeared.isEmpty {
        .appeared
      } else if appeared.isEmpty, !gone.isEmpty {
        .cleared
      } else {
        .changed
      }
    var record = DTCRecord(ecu: state.addressText, event: event)
    record.stored = state.stored.texts
    record.pending = state.pending.texts
    record.permanent = state.permanent.texts
    if !isFirst { record.changed = unique(lists.flatMap(\.changed).map(\.string)) }
    return record
  }

  private static func unique(_ texts: [String]) -> [String] {
    texts.indices.filter { !texts[..<$0].contains(texts[$0]) }.map { texts[$0] }
  }

  /// Adds the MIL state, the distance driven with the MIL on, and the freeze frame with index `frame` to a record.
  private mutating func attach(_ frame: Int?, to record: inout DTCRecord, of ecu: Int, at time: Int64) {
    let state = ecus[ecu]
    record.mil = Self.young(state.mil, at: time).map { $0 != 0 }
    if let mil = record.mil { ecus[ecu].reportedMIL = mil }
    record.distanceMIL = Self.young(state.distanceMIL, at: time)
    guard let frame else { return }
    ecus[ecu].frames[frame].setReported()
    let found = state.frames[frame]
    record.freezeFrame = DTCRecord.FreezeFrame(
      frame: Int(found.number), dtc: found.code?.string,
      readings: found.values.compactMap { value in
        name(of: value.signal).map { NamedValue($0, self.value(value.value, of: value.signal)) }
      })
  }

  private static func young(_ value: ECUState.Timed?, at time: Int64) -> Double? {
    guard let value, time - value.time <= attachmentAge else { return nil }
    return value.value
  }

  // MARK: Names and values

  /// Returns the name of a signal in `dtc` records; `nil` if the signal is unknown.
  func name(of signal: SignalID) -> String? {
    if signal.isLoaded {
      let index = Int(signal.rawValue - SignalID.firstLoaded)
      return index < loadedKeys.names.count ? loadedKeys.names[index] : nil
    }
    guard signal.rawValue < saeSignals.count else { return nil }
    return saeSignals.span[Int(signal.rawValue)].name.description
  }

  /// Converts a signal's value to a number, boolean or text, depending on the kind of signal.
  func value(_ value: Double, of signal: SignalID) -> RecordValue {
    guard !signal.isLoaded, signal.rawValue < saeSignals.count else { return .number(value) }
    let definition = saeSignals.span[Int(signal.rawValue)].definition
    switch definition.kind {
    case .number: return .number(value)
    case .flag: return .flag(value != 0)
    case .enumeration:
      guard let code = UInt32(exactly: value),
        let text = SAEEnumerations.text(enumeration: definition.enumeration, code: code)
      else { return .number(value) }
      return .text(text.description)
    }
  }
}

extension DTCRecord {
  fileprivate func mentions(_ code: String) -> Bool {
    [stored, pending, permanent].contains { list in list?.contains(code) ?? false }
  }
}
