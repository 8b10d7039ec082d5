/// An item of a `--faults` list: what fails, how much, and when.
public struct Fault: Sendable, Equatable {
  /// The kind of fault.
  public var kind: Kind
  /// Probability, count or number, depending on the kind.
  var number: Double
  /// A duration, for kinds that have one.
  var duration: Duration
  /// A request, an address or a byte, for kinds that have one.
  var bytes: [UInt8]
  /// A text, for kinds that have one.
  var text: String
  /// The time window of the fault.
  var window: Window

  /// The time in which a fault can occur.
  public enum Window: Sendable, Equatable {
    /// No `@`: at every opportunity.
    case always
    /// `@5s`: once, at the first opportunity after that time. A state begins then and does not end.
    case from(Duration)
    /// `@5s..8s`: at every opportunity in that time. `@5s..`: from that time on.
    case during(Duration, Duration?)
  }

  /// The argument of a kind after `=`.
  enum Argument {
    case none
    /// 0…1; default 1.
    case probability
    /// An integer in this range, with an optional default.
    case count(ClosedRange<Int>, Int?)
    /// A time, with an optional default.
    case time(Duration?)
    /// Hexadecimal digits; in the following cases with `:` and a byte or a time.
    case request
    case requestAndByte
    case requestAndTime(Duration)
    /// A name or a command.
    case text
  }

  /// The use of the window by a kind of fault.
  enum Timing {
    /// Lasts as long as the window.
    case state
    /// Occurs at opportunities within the window.
    case chance
    /// Occurs by itself at the start of the window; requires `@`.
    case moment
  }

  /// All faults of the virtual adapter.
  public enum Kind: String, CaseIterable, Sendable {
    // Serial connection.
    case nul, drop, flip, split, trickle, silent, hang, unplug, garbage, gps
    // Echo and line ends.
    case echoDouble, echoAll, crlf
    // Prompt and answers.
    case promptLost, promptTwice, promptLate, promptOK, replyTwice, replyJoined, replyBehind, truncate
    // Reset.
    case reset, brownOut, lvReset, bannerLate, bannerMissing, bannerByte
    // Commands.
    case unknown, noSuffix, noMultiPID, protocolZero
    // Messages instead of an answer.
    case searching, unableToConnect, busInitError, canError, busError, busBusy, bufferFull, dataError, rxError
    case stopped, err, actAlert, lpAlert
    // The car.
    case ignitionOff, noData, noPID, ecuGone, senders, shortVIN, busy, pending, negative, emptyVoltage
    // Frames.
    case badChecksum, badSequence, lostFrame, duplicate
  }
}
