import OBDWire

/// One freeze frame of an ECU, gathered answer by answer.
struct FreezeFrameState {
  /// A value of the freeze frame.
  struct Value: Equatable {
    var signal: SignalID
    var value: Double
  }

  let number: UInt8
  /// The code that stored the frame; `nil` if it was not read or there is none.
  private(set) var code: TroubleCode?
  private(set) var values: [Value] = []
  /// Whether the ECU reported that no code stored a frame.
  private(set) var isEmpty = false
  /// Whether it has unreported values.
  private(set) var isNews = false
  /// Whether values arrived since the last record, so that more may follow.
  var isBeingRead = false

  init(number: UInt8) { self.number = number }

  /// Adds a value; a changed one has to be reported.
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

  /// Adds the answer to PID 02; P0000 means that there is no frame.
  mutating func receive(_ codes: Span<TroubleCode>) {
    let found = codes.count > 0 && codes[0].code != 0 ? codes[0] : nil
    isEmpty = found == nil
    if let found, let code, found.isSameCode(as: code) { return }
    // A frame of another code is a new frame.
    if code != nil { values.removeAll(keepingCapacity: true) }
    if found != nil || code != nil {
      isNews = true
      isBeingRead = true
    }
    code = found
  }

  /// Whether there is something to report.
  var isReady: Bool { isNews && !isEmpty && !values.isEmpty }

  /// Marks all values as reported.
  mutating func setReported() { isNews = false }
}
