/// One fault of a `--faults` list: what goes wrong, how much of it, and when.
public struct Fault: Sendable, Equatable {
  /// What goes wrong.
  public var kind: Kind
  /// Probability, count or number, as the kind has it.
  var number: Double
  /// A time that the kind takes.
  var duration: Duration
  /// A request, an address, a byte.
  var bytes: [UInt8]
  /// A text.
  var text: String
  /// When.
  var window: Window

  /// When a fault strikes.
  public enum Window: Sendable, Equatable {
    /// No `@`: whenever it can.
    case always
    /// `@5s`: once, at the first chance from then on; of a state: from then on.
    case from(Duration)
    /// `@5s..8s`: whenever it can in that time. `@5s..`: from then on.
    case during(Duration, Duration?)
  }

  /// What a kind takes behind `=`.
  enum Argument {
    case none
    /// 0…1; 1 unless given.
    case probability
    /// A whole number in this range, or the default where none is given.
    case count(ClosedRange<Int>, Int?)
    /// A time, or the default where none is given.
    case time(Duration?)
    /// Hexadecimal digits, then perhaps `:` and one more byte or a time.
    case request
    case requestAndByte
    case requestAndTime(Duration)
    /// A name or a command.
    case text
  }

  /// How a kind uses its window.
  enum Timing {
    /// Holds as long as the window.
    case state
    /// Strikes at chances within the window.
    case chance
    /// Happens by itself at the window's beginning: needs an `@`.
    case moment
  }

  /// Every fault that the virtual adapter knows.
  public enum Kind: String, CaseIterable, Sendable {
    // The line.
    case nul, drop, flip, split, trickle, silent, hang, unplug, garbage, gps
    // Echo and line ends.
    case echoDouble, echoAll, crlf
    // Prompt and answers.
    case promptLost, promptTwice, promptLate, promptOK, replyTwice, replyJoined, truncate
    // Reset.
    case reset, brownOut, lvReset, bannerLate, bannerMissing, bannerByte
    // Commands.
    case unknown, noSuffix, noMultiPID, protocolZero
    // Messages in place of an answer.
    case searching, unableToConnect, busInitError, canError, busError, busBusy, bufferFull, dataError, rxError
    case stopped, err, actAlert, lpAlert
    // The car.
    case ignitionOff, noData, noPID, ecuGone, senders, shortVIN, busy, pending, negative, emptyVoltage
    // Frames.
    case badChecksum, badSequence, lostFrame, duplicate
  }
}
