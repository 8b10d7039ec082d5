import GatewayLinks
import GatewayOutput
import Glibc
import OBDWire
import Telemetry

extension StatusSnapshot {
  /// Returns the status as one JSON object, which docs/Daemon.md describes. Times are in seconds, sizes in bytes. The
  /// object does not contain values that are unknown.
  package func json() -> [UInt8] {
    var line = JSONLineEncoder(capacity: 4_096, growable: true)
    line.begin()
    line.field("version", Version.text)
    line.field("pid", Int(getpid()))
    line.field("uptime", seconds(now - started), decimals: 3)
    line.field("gatewayId", gatewayId)
    line.field("vehicleId", pipeline?.vehicleId)
    line.field("epoch", forwarding?.spool.epoch ?? pipeline?.epoch)
    if let wall = pipeline?.wall {
      if wall.quality != .unset { line.field("timestamp", Timestamp(nanoseconds: now &+ wall.offset)) }
      line.field("timeQuality", wall.quality.name)
    }
    line.field("configuration", configuration)
    if let pipeline {
      line.beginArray("adapters")
      for adapter in pipeline.adapters { write(adapter, to: &line) }
      line.end()
      line.beginArray("receivers")
      for receiver in pipeline.receivers { write(receiver, to: &line) }
      line.end()
      line.beginObject("records")
      line.beginObject("made")
      for type in RecordType.allCases {
        if let count = made(type), count > 0 { line.field(type.name, count) }
      }
      line.end()
      line.field("lost", losses.total)
      line.beginObject("lostByReason")
      for reason in GapRecord.Reason.allCases where losses[reason] > 0 { line.field(reason.name, losses[reason]) }
      line.end()
      line.end()
    }
    if let forwarding { write(forwarding, to: &line) }
    line.beginArray("threads")
    for (names, isStuck) in [(stuck, true), (answered, false)] {
      for name in names {
        line.beginObject()
        line.field("name", name)
        line.field("isStuck", isStuck)
        line.end()
      }
    }
    line.end()
    line.finish()
    return line.withLine { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }
  }

  private func write(_ adapter: AdapterStatus, to line: inout JSONLineEncoder) {
    line.beginObject()
    line.field("device", adapter.device)
    line.field("name", adapter.name)
    write(adapter.standing, to: &line)
    line.field("identity", adapter.identity)
    line.field("protocol", adapter.protocolName)
    line.field("vehicleId", adapter.vehicleId)
    line.field("vin", adapter.vin)
    line.field("commands", adapter.counts.commands)
    line.field("replies", adapter.counts.replies)
    line.field("readings", adapter.counts.readings)
    line.beginObject("failures")
    for (kind, count) in adapter.counts.failuresByKind {
      line.key("\(kind)")
      line.value(UInt64(count))
    }
    line.end()
    line.field("receivedBytes", adapter.counts.receivedBytes)
    line.field("sentBytes", adapter.counts.sentBytes)
    line.field("busySeconds", seconds(adapter.counts.busy), decimals: 3)
    line.field("openSeconds", seconds(adapter.counts.open), decimals: 3)
    writeAge("lastReadingAge", adapter.counts.lastReading, to: &line)
    line.end()
  }

  private func write(_ receiver: ReceiverStatus, to line: inout JSONLineEncoder) {
    line.beginObject()
    line.field("device", receiver.device)
    line.field("identity", receiver.identity)
    write(receiver.standing, to: &line)
    line.field("fixes", receiver.fixes)
    line.field("unreadable", receiver.unreadable)
    writeAge("lastFixAge", receiver.lastFix, to: &line)
    line.field("fixType", receiver.fixType)
    line.field("satellites", receiver.satellites)
    line.field("hdop", receiver.hdop)
    line.field("isChosen", receiver.isChosen)
    line.end()
  }

  private func write(_ standing: Standing, to line: inout JSONLineEncoder) {
    line.field("state", standing.state.rawValue)
    writeAge("stateAge", standing.since, to: &line)
    line.field("reason", standing.reason)
  }

  private func write(_ forwarding: ForwardingStatus, to line: inout JSONLineEncoder) {
    let spool = forwarding.spool
    line.beginObject("spool")
    switch spool.state {
    case .durable:
      line.field("state", "durable")
      line.field("path", spool.path)
    case .inMemory(let error):
      line.field("state", "memory")
      // Only the path of a configured folder contains a slash (0x2F). Without a folder, there is no error to report.
      if spool.path.utf8.contains(0x2F) { line.field("reason", error.description) }
    }
    line.field("records", Int(spool.records))
    line.field("memoryRecords", spool.memoryRecords)
    line.field("bytes", Int(spool.bytes))
    line.field("oldestAge", spool.oldestAge.map { rounded(seconds($0)) })
    line.end()
    line.beginArray("sinks")
    for sink in forwarding.sinks {
      line.beginObject()
      line.field("name", sink.name)
      line.field("state", sink.state.rawValue)
      line.field("reason", sink.reason)
      line.field("delivered", sink.delivered)
      line.field("rejected", sink.rejected)
      line.field("rejectionReason", sink.rejectionReason)
      writeAge("lastDeliveryAge", sink.lastDelivery, to: &line)
      line.field("oldestAge", sink.oldestAge.map { rounded(seconds($0)) })
      line.end()
    }
    line.end()
  }

  /// Writes the time since an event, s.
  ///
  /// - Parameter moment: time of the event, ns since boot; `nil` to write nothing.
  private func writeAge(_ name: StaticString, _ moment: Int64?, to line: inout JSONLineEncoder) {
    if let moment { line.field(name, seconds(max(0, now - moment)), decimals: 3) }
  }

  private func rounded(_ seconds: Double) -> Double { (seconds * 1_000).rounded() / 1_000 }

  private func seconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e9 }
}

extension LinkFigures.Counts {
  /// The kinds of failures that have occurred, with the number of failures of each kind.
  var failuresByKind: [(WireError.Kind, UInt32)] {
    failures.indices.compactMap { index in
      guard failures[index] > 0, let kind = WireError.Kind(rawValue: UInt8(index)) else { return nil }
      return (kind, failures[index])
    }
  }

  /// Number of replies with each outcome. First comes `ok`, the replies without a failure. Then, for each kind of
  /// failure, come the replies in which it was the first failure.
  var repliesByOutcome: [(String, UInt64)] {
    var failed: UInt64 = 0
    var outcomes: [(String, UInt64)] = []
    for index in failedReplies.indices where failedReplies[index] > 0 {
      guard let kind = WireError.Kind(rawValue: UInt8(index)) else { continue }
      failed += UInt64(failedReplies[index])
      outcomes.append(("\(kind)", UInt64(failedReplies[index])))
    }
    return [("ok", replies - failed)] + outcomes
  }
}
