import OBDWire

// Chooses the ECU whose value is at the top level of a telemetry record. Values of the other ECUs are under their
// addresses.
//
// For each key, the engine ECU is chosen. An engine ECU is one that supports or answers PID 0C. If several engine ECUs
// have the value, the one with the lowest address is chosen. If no engine ECU has the value, the ECU with the lowest
// address that has it is chosen. ECUs are added when they first answer and are never removed. Therefore, the choice
// changes only while ECUs are still being discovered.
extension Fusion {
  /// Records that an ECU has reported a value for a column. Then chooses again which ECU's value of the column is at
  /// the top level of records.
  mutating func recordAnswer(of ecu: Int, in column: Int) {
    columns[column].known |= 1 << UInt16(ecu)
    chooseOwner(of: column)
  }

  /// Marks an ECU as an engine ECU.
  mutating func recordEngineSpeed(of ecu: Int) {
    guard !ecus[ecu].hasEngineSpeed else { return }
    ecus[ecu].hasEngineSpeed = true
    chooseOwners()
    chooseVIN()
  }

  /// For each column, chooses again which ECU's value is at the top level of records.
  mutating func chooseOwners() {
    for column in columns.indices { chooseOwner(of: column) }
  }

  private mutating func chooseOwner(of column: Int) {
    let known = columns[column].known
    var lowest: Int?
    var engine: Int?
    for ecu in ecuOrder where known >> UInt16(ecu) & 1 == 1 {
      lowest = lowest ?? ecu
      if ecus[ecu].hasEngineSpeed { engine = engine ?? ecu }
    }
    columns[column].owner = UInt8(engine ?? lowest ?? 0)
  }

  /// Returns the ECU whose value of a column is at the top level of the next record. Returns `nil` if neither the
  /// chosen ECU nor an answer without a header has provided a new value.
  ///
  /// An answer without a header can come from any ECU. Its value is used if the chosen ECU did not answer.
  func topLevelECU(of column: borrowing Column) -> Int? {
    let owner = Int(column.owner)
    if column.fresh >> UInt16(owner) & 1 == 1 { return owner }
    return column.fresh & 1 == 1 ? 0 : nil
  }
}
