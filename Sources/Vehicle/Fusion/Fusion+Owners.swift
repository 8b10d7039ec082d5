import OBDWire

// Chooses the ECU whose value has the plain key.
//
// The engine ECU is chosen: the one that supports or answers PID 0C. If there are several engine ECUs, or if none has
// the value, the ECU with the lowest address is chosen. ECUs are added when they first answer and are never removed.
// Therefore, the choice changes only while ECUs are still being discovered.
extension Fusion {
  /// Registers the first answer of an ECU for a column.
  mutating func recordAnswer(of ecu: Int, in column: Int) {
    columns[column].known |= 1 << UInt16(ecu)
    chooseOwner(of: column)
  }

  /// Marks an ECU as the engine ECU.
  mutating func recordEngineSpeed(of ecu: Int) {
    guard !ecus[ecu].hasEngineSpeed else { return }
    ecus[ecu].hasEngineSpeed = true
    chooseOwners()
    chooseVIN()
  }

  /// Chooses the ECUs for all plain keys again.
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

  /// Returns the ECU whose value of a column has the plain key in this record; `nil` if no value is fresh.
  ///
  /// An answer without a header can come from any ECU. It has the plain key if the chosen ECU did not answer.
  func plainECU(of column: borrowing Column) -> Int? {
    let owner = Int(column.owner)
    if column.fresh >> UInt16(owner) & 1 == 1 { return owner }
    return column.fresh & 1 == 1 ? 0 : nil
  }
}
