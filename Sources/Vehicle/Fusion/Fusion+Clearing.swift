import OBDWire
import Telemetry

extension Fusion {
  /// The PIDs of service 01 that a successful service 04 resets (SAE J1979, section 6.4). Their values are counted
  /// since the last clearing, or depend on the codes and monitors.
  private static let resetParameters: Set<UInt8> = [0x01, 0x02, 0x21, 0x30, 0x31, 0x41, 0x4D, 0x4E]

  /// Handles the clearing of an ECU's codes. The codes, MIL state and other values that clearing resets are discarded,
  /// so that records do not contain them until they are read again. Permanent codes are kept, because only the ECU's
  /// own tests clear them.
  public mutating func codesCleared<Sink: RecordSink & ~Copyable>(
    origin: Origin, at time: Int64, into sink: inout Sink
  ) {
    tick(time, into: &sink)
    guard let ecu = index(of: origin.ecu) else {
      droppedReadings += 1
      return
    }
    // First report what was read before, including incomplete freeze frames.
    for index in ecus[ecu].frames.indices { ecus[ecu].frames[index].isBeingRead = false }
    if hasNewDiagnosis { writeDiagnosis(at: now, into: &sink) }
    ecus[ecu].stored.forget()
    ecus[ecu].pending.forget()
    ecus[ecu].frames = []
    ecus[ecu].mil = nil
    ecus[ecu].distanceMIL = nil
    let bit: UInt16 = 1 << UInt16(ecu)
    for column in columns.indices
    where Self.resetParameters.contains(columns[column].parameter) || column == codesColumn {
      columns[column].fresh &= ~bit
      columns[column].times[ecu] = .min / 2
    }
  }
}
