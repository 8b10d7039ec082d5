import OBDWire
import Telemetry

extension Fusion {
  /// What an ECU's answer to service 04 makes unknown beside its lists of codes (SAE J1979, 6.4): PIDs of service 01 that
  /// count from it, or say how codes and monitors stand.
  private static let resetParameters: Set<UInt8> = [0x01, 0x02, 0x21, 0x30, 0x31, 0x41, 0x4D, 0x4E]

  /// An ECU has cleared its codes: what it said of them, of the lamp and of monitors before is true no more, and in no
  /// record until it is read again. Permanent codes stay: only the ECU's own tests clear them.
  public mutating func codesCleared<Sink: RecordSink & ~Copyable>(
    origin: Origin, at time: Int64, into sink: inout Sink
  ) {
    tick(time, into: &sink)
    guard let ecu = index(of: origin.ecu) else {
      droppedReadings += 1
      return
    }
    // What was read before is told as it was, with freeze frames as far as they were read.
    for index in ecus[ecu].frames.indices { ecus[ecu].frames[index].isBeingRead = false }
    if isDiagnosisNews { writeDiagnosis(at: now, into: &sink) }
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
