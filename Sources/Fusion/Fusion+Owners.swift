import OBDWire

// Which ECU's value stands under the plain key.
//
// The engine ECU's, which is the one that supports or answers PID 0C; among several, or where it does not have the
// value, the lowest address. An ECU counts from its first answer on and never stops: a key changes its owner only while
// ECUs are still being discovered.
extension Fusion {
  /// An ECU has answered a column for the first time.
  mutating func noteAnswer(of ecu: Int, in column: Int) {
    columns[column].known |= 1 << UInt16(ecu)
    chooseOwner(of: column)
  }

  /// An ECU has shown that it is the engine's.
  mutating func noteEngineSpeed(of ecu: Int) {
    guard !ecus[ecu].hasEngineSpeed else { return }
    ecus[ecu].hasEngineSpeed = true
    chooseOwners()
    chooseVIN()
  }

  /// Chooses all owners anew.
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

  /// The ECU whose value of a column is the plain one in this record; nil: none is fresh.
  ///
  /// An answer without a header may be anybody's: it fills the plain key where its owner was silent.
  func plainECU(of column: borrowing Column) -> Int? {
    let owner = Int(column.owner)
    if column.fresh >> UInt16(owner) & 1 == 1 { return owner }
    return column.fresh & 1 == 1 ? 0 : nil
  }
}
