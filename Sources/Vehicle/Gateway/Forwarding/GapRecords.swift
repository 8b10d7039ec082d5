import Spool
import Telemetry

/// Makes the records of what the spool has lost.
struct GapRecords: ~Copyable {
  private let gatewayId: String
  private let vehicleId: String
  private let seed: UInt64
  private var made: UInt64 = 0
  private var line = JSONLineEncoder(capacity: JSONLineEncoder.recordCapacity)

  /// - Parameters:
  ///   - vehicleId: the configured one; nil: they go by the gateway.
  ///   - seed: of their ids.
  init(gatewayId: String, vehicleId: String?, seed: UInt64) {
    self.gatewayId = gatewayId
    self.vehicleId = vehicleId ?? gatewayId
    self.seed = seed
  }

  /// Appends the record of a loss to the spool that has told it.
  ///
  /// - Parameters:
  ///   - now: boot time, ns.
  ///   - wall: what date that is; the spool puts in what is known when the record leaves.
  /// - Returns: false where not even the numbers are known that a record would have to tell.
  mutating func tell(_ loss: Loss, to spool: inout Spool, at now: Int64, _ wall: WallTime) -> Bool {
    guard let gap = loss.gap else { return false }
    made += 1
    let time = RecordTime(now, wall)
    let id = UUIDv7(milliseconds: time.milliseconds, seed: seed, number: made)
    // The spool gives epoch and number itself.
    let head = RecordHead(
      type: .gap, id: id, time: time, gatewayId: gatewayId, vehicleId: vehicleId, epoch: id, sequence: 1)
    line.record(head, gap)
    do throws(RecordFormError) {
      try spool.append(line.line, at: now, explaining: loss)
      return true
    } catch {
      Log.write("a gap record is no record: \(error)")
      return false
    }
  }
}
