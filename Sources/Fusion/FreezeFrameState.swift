import OBDWire

/// One freeze frame of an ECU, gathered answer by answer.
struct FreezeFrameState {
  struct Value: Equatable {
    var signal: SignalID
    var value: Double
  }

  let number: UInt8
  /// The code that stored it; nil: not asked, or there is none.
  private(set) var code: TroubleCode?
  private(set) var values: [Value] = []
  /// The ECU said that no code has stored a frame.
  private(set) var isEmpty = false
  /// Something was read that has not been reported.
  private(set) var isNews = false
  /// Something new was read since the last record: more may follow.
  var isBeingRead = false

  init(number: UInt8) { self.number = number }

  mutating func receive(_ signal: SignalID, _ value: Double) {
    if let index = values.firstIndex(where: { $0.signal == signal }) {
      if values[index].value == value { return }
      values[index].value = value
    } else {
      values.append(Value(signal: signal, value: value))
    }
    isNews = true
    isBeingRead = true
  }

  /// Takes the answer to PID 02; P0000 means that there is no frame.
  mutating func receive(_ codes: Span<TroubleCode>) {
    let found = codes.count > 0 && codes[0].code != 0 ? codes[0] : nil
    isEmpty = found == nil
    if let found, let code, found.isSameCode(as: code) { return }
    // A frame of another code is another frame.
    if code != nil { values.removeAll(keepingCapacity: true) }
    if found != nil || code != nil {
      isNews = true
      isBeingRead = true
    }
    code = found
  }

  /// There is something to report, and nothing more seems to come.
  var isReady: Bool { isNews && !isEmpty && !values.isEmpty }

  mutating func setReported() { isNews = false }
}
