import OBDWire

/// One freeze frame of an ECU. Its values arrive in several answers.
struct FreezeFrameState {
  /// A value of the freeze frame.
  struct Value: Equatable {
    var signal: SignalID
    var value: Double
  }

  let number: UInt8
  /// The trouble code that caused the freeze frame; `nil` if it was not read, or if there is no freeze frame.
  private(set) var code: TroubleCode?
  private(set) var values: [Value] = []
  /// Whether the ECU answered that it has no freeze frame.
  private(set) var isEmpty = false
  /// Whether the freeze frame has values that no record contains yet.
  private(set) var hasUnreportedValues = false
  /// Whether a value has arrived since the last record. If `true`, the ECU may send further values.
  var isBeingRead = false

  init(number: UInt8) { self.number = number }

  /// Stores a value of the freeze frame. If the value is new or has changed, the freeze frame must be reported.
  mutating func receive(_ signal: SignalID, _ value: Double) {
    if let index = values.firstIndex(where: { $0.signal == signal }) {
      if values[index].value == value { return }
      values[index].value = value
    } else {
      values.append(Value(signal: signal, value: value))
    }
    hasUnreportedValues = true
    isBeingRead = true
  }

  /// Stores the answer to PID 02: the code that caused the freeze frame. The code P0000 means that no freeze frame
  /// exists.
  mutating func receive(_ codes: Span<TroubleCode>) {
    let found = codes.count > 0 && codes[0].code != 0 ? codes[0] : nil
    isEmpty = found == nil
    if let found, let code, found.isSameCode(as: code) { return }
    // If another code caused the freeze frame, the freeze frame is a new one.
    if code != nil { values.removeAll(keepingCapacity: true) }
    if found != nil || code != nil {
      hasUnreportedValues = true
      isBeingRead = true
    }
    code = found
  }

  /// Whether the freeze frame has unreported values and can be written to a record.
  var isReady: Bool { hasUnreportedValues && !isEmpty && !values.isEmpty }

  /// Marks all values as reported.
  mutating func setReported() { hasUnreportedValues = false }

  /// Marks all values as unreported.
  mutating func setUnreported() { hasUnreportedValues = !values.isEmpty }
}
