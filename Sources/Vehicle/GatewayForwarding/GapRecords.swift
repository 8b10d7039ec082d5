import GatewayOutput
import Spool
import Telemetry

/// Makes the `gap` records that report losses of the spool to the sinks.
struct GapRecords: ~Copyable {
  private let gatewayId: String
  private let vehicleId: String
  private let seed: UInt64
  private var made: UInt64 = 0
  private var line = JSONLineEncoder(capacity: JSONLineEncoder.recordCapacity)

  /// Creates an object that makes `gap` records.
  ///
  /// - Parameters:
  ///   - vehicleId: the configured ID of the vehicle; `nil` to use the gateway's ID instead.
  ///   - seed: a random number from which the IDs of the records are made.
  init(gatewayId: String, vehicleId: String?, seed: UInt64) {
    self.gatewayId = gatewayId
    self.vehicleId = vehicleId ?? gatewayId
    self.seed = seed
  }

  /// Appends the `gap` record for a loss to the spool.
  ///
  /// - Parameters:
  ///   - now: the current time, ns since boot.
  ///   - wall: the date, if it is known. If the spool knows a better date at the delivery, that date replaces it.
  /// - Returns: whether a record was appended; `false` if the sequence numbers of the loss are unknown.
  mutating func report(_ loss: Loss, to spool: inout Spool, at now: Int64, _ wall: WallTime) -> Bool {
    guard let gap = loss.gap else { return false }
    made += 1
    let time = RecordTime(now, wall)
    let id = UUIDv7(milliseconds: time.milliseconds, seed: seed, number: made)
    // The spool replaces the epoch and the sequence number.
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
