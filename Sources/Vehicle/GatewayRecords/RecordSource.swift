import AdapterSession
import Fusion
import GatewayLinks
import GatewayStatus
import OBDWire
import Ports
import Telemetry

/// The state from which the records of one link are made. It is a class, so that it is not copied when it is used in an
/// array. Only one thread may use it.
package final class RecordSource {
  var device: String
  /// Key that identifies the adapter, also after a restart.
  let name: String
  var fusion: Fusion
  private(set) var isClosed = false
  /// Whether a vehicle has answered on this link. Before that, the adapter may not be connected to a vehicle.
  private(set) var hasSpoken = false

  /// The list of trouble codes that is being received, and the number of its codes that are still to come; `nil` if no
  /// list is being received.
  private var list: (head: TroubleCodeList, left: Int)?
  private var codes: [TroubleCode] = []
  private var failures = FailureCounts()
  /// Name of the bus protocol that the session reported last; `nil` if it has reported none.
  private(set) var protocolName: String?
  private(set) var standing: Standing
  private let eventLog: AdapterEventLog?

  init(device: String, name: String, _ fusion: consuming Fusion, eventLog: AdapterEventLog? = nil, at time: Int64 = 0) {
    self.eventLog = eventLog
    self.device = device
    self.name = name
    self.fusion = fusion
    standing = Standing(since: time)
    codes.reserveCapacity(256)
  }

  /// Time at which the next record is due, ns since boot; `.max` if none is due at a fixed time.
  var nextDue: Int64 {
    min(fusion.nextDue, failures.nextReport)
  }

  func handle<Sink: RecordSink & ~Copyable>(_ delivery: LinkDelivery, into sink: inout Sink) {
    let time = delivery.time
    switch delivery.content {
    case .reading(let reading): fusion.reading(reading, at: time, into: &sink)
    case .text(let text, let bytes): fusion.text(text, bytes.bytes, at: time, into: &sink)
    case .codes(let head, let count): begin(head, count: Int(count), at: time, into: &sink)
    case .code(let code, let left): handle(code, left: Int(left), at: time, into: &sink)
    case .codesCleared(let origin): fusion.codesCleared(origin: origin, at: time, into: &sink)
    case .supported(let bitmap, let service, let base, let origin):
      fusion.supported(bitmap, service: service, base: base, origin: origin, at: time, into: &sink)
    case .adapter(let answer, let bytes): fusion.adapter(answer, bytes.bytes, at: time, into: &sink)
    case .command(let bytes): fusion.command(bytes.bytes)
    case .failure(let error, let line):
      if let first = failures.count(.wire(error.kind), at: time) { report(first, line, at: time, into: &sink) }
    case .event(let event): handle(event, at: time, into: &sink)
    case .unreachable(let kind):
      standing.become(.lost, "\(kind)", at: time)
      append(record(.lost, reason: "\(kind)"), at: time, into: &sink)
    }
  }

  func finish<Sink: RecordSink & ~Copyable>(at time: Int64, into sink: inout Sink) {
    reportFailures(at: .max, notAfter: time, into: &sink)
    fusion.finish(at: time, into: &sink)
    isClosed = true
  }

  // MARK: Trouble codes

  private func begin<Sink: RecordSink & ~Copyable>(
    _ head: TroubleCodeList, count: Int, at time: Int64, into sink: inout Sink
  ) {
    codes.removeAll(keepingCapacity: true)
    list = (head, count)
    if count == 0 { complete(at: time, into: &sink) }
  }

  private func handle<Sink: RecordSink & ~Copyable>(
    _ code: TroubleCode, left: Int, at time: Int64, into sink: inout Sink
  ) {
    // The list is incomplete if its start or an earlier code was lost because the link's ring was full.
    guard let (head, expected) = list, expected == left else {
      list = nil
      return
    }
    codes.append(code)
    list = (head, left - 1)
    if left == 1 { complete(at: time, into: &sink) }
  }

  private func complete<Sink: RecordSink & ~Copyable>(at time: Int64, into sink: inout Sink) {
    guard let head = list?.head else { return }
    list = nil
    // A copy is necessary, because `self` changes while the span is in use.
    let codes = codes
    fusion.troubleCodes(head, codes.span, at: time, into: &sink)
  }

  // MARK: The adapter

  private func handle<Sink: RecordSink & ~Copyable>(_ event: SessionEvent, at time: Int64, into sink: inout Sink) {
    switch event {
    case .connected, .recovered: hasSpoken = true
    default: break
    }
    if case .connected(let digit) = event { protocolName = ProtocolName.text(fromDigit: digit) }
    if case .notPolledJ1939 = event { protocolName = ProtocolName.text(fromDigit: UInt8(ascii: "A")) }
    if case .recovered(let digit) = event { protocolName = ProtocolName.text(fromDigit: digit) }
    // After these events, another vehicle may be the next one that answers.
    switch event {
    case .lost, .sleeping: fusion.vehicleLost()
    default: break
    }
    if event == .vehicleUnnamed { fusion.vehicleUnnamed(at: time, into: &sink) }
    let failure: FailureCounts.Kind? = event == .promptLost ? .promptLost : event == .outOfStep ? .outOfStep : nil
    if let failure, let first = failures.count(failure, at: time) { report(first, nil, at: time, into: &sink) }
    follow(event, at: time)
    if let record = adapterRecord(of: event) { append(record, at: time, into: &sink) }
  }

  private func append<Sink: RecordSink & ~Copyable>(_ record: AdapterRecord, at time: Int64, into sink: inout Sink) {
    eventLog?.log(record, at: time)
    fusion.record(record, at: time, into: &sink)
  }

  private func follow(_ event: SessionEvent, at time: Int64) {
    switch event {
    case .found, .awake: standing.become(.searching, at: time)
    case .connected, .recovered, .vehicleChanged, .vehicleUnnamed: standing.become(.connected, at: time)
    case .lost(let reason): standing.become(.lost, reason.name.description, at: time)
    case .sleeping(let reason): standing.become(.sleeping, reason.name.description, at: time)
    case .notPolledJ1939: standing.become(.connected, "notPolledJ1939", at: time)
    case .quirk, .ecuVanished, .ecuReturned, .multiPIDRefused, .supportKnown, .vehicleIdentified, .codesRead,
      .codesCleared, .clearRefused, .promptLost, .outOfStep, .memoryChanged:
      break
    }
  }

  private func adapterRecord(of event: SessionEvent) -> AdapterRecord? {
    switch event {
    case .found: record(.found)
    case .connected: record(.connected)
    case .lost(let reason): record(.lost, reason: reason.name.description)
    case .recovered: record(.recovered)
    case .quirk(let quirk): record(.quirk, reason: quirk.name.description)
    case .vehicleChanged, .vehicleUnnamed: record(.connected, reason: "vehicleChanged")
    case .ecuVanished(let ecu): record(.lost, reason: "ecuVanished", ecu: ecu)
    case .ecuReturned(let ecu): record(.recovered, reason: "ecuReturned", ecu: ecu)
    case .notPolledJ1939: record(.connected, reason: "notPolledJ1939")
    case .multiPIDRefused: record(.quirk, reason: "multiPIDRefused")
    case .sleeping(let reason): record(.sleeping, reason: reason.name.description)
    case .awake(let reason): record(.awake, reason: reason.name.description)
    case .supportKnown, .vehicleIdentified, .codesRead, .codesCleared, .clearRefused, .promptLost,
      .outOfStep, .memoryChanged:
      nil
    }
  }

  private func record(
    _ event: AdapterRecord.Event, reason: String? = nil, ecu: ECUAddress? = nil
  ) -> AdapterRecord {
    var record = AdapterRecord(event: event, device: device, identity: fusion.adapterIdentity, reason: reason)
    if event == .connected || event == .recovered { record.protocolName = protocolName }
    record.ecu = ecu.map { $0.text }
    return record
  }

  // MARK: Failures

  /// Reports that `count` deliveries of the link were lost, because its ring to this thread was full. A list of trouble
  /// codes that is being received may then be incomplete, and is discarded.
  func dropped<Sink: RecordSink & ~Copyable>(_ count: Int, at time: Int64, into sink: inout Sink) {
    list = nil
    var record = record(.error, reason: "overrun")
    record.count = UInt64(count)
    append(record, at: time, into: &sink)
  }

  /// Makes a record for each kind of failure whose report is due. The record contains the number of failures since the
  /// last report about this kind.
  ///
  /// - Parameters:
  ///   - now: reports that are due at this time or earlier are made, ns since boot; `.max` to make all reports.
  ///   - latest: the latest time that a record may have, ns since boot. It replaces a later time.
  func reportFailures<Sink: RecordSink & ~Copyable>(
    at now: Int64, notAfter latest: Int64, into sink: inout Sink
  ) {
    while let (kind, count, time) = failures.due(at: now) {
      var record = record(.error, reason: "\(kind)")
      record.count = count
      append(record, at: min(time, latest), into: &sink)
    }
  }

  private func report<Sink: RecordSink & ~Copyable>(
    _ kind: FailureCounts.Kind, _ line: ShortText?, at time: Int64, into sink: inout Sink
  ) {
    var record = record(.error, reason: "\(kind)")
    record.count = 1
    record.bytes = line.map { String(latin1: $0.bytes) }
    append(record, at: time, into: &sink)
  }
}
