/// One item of a list of faults (`--faults`): what fails, how much, and when.
public struct Fault: Sendable, Equatable {
  /// The kind of fault.
  public var kind: Kind
  /// A probability, a count or another number; the kind determines which.
  var number: Double
  /// A duration, if the kind has one.
  var duration: Duration
  /// A request, an address or a byte, if the kind has one.
  var bytes: [UInt8]
  /// A text, if the kind has one.
  var text: String
  /// When the fault occurs.
  var window: Window

  /// When a fault occurs.
  public enum Window: Sendable, Equatable {
    /// Without `@`: at every opportunity.
    case always
    /// `@5s`: once, at the first opportunity after this time. If the fault is a state, it begins at this time and does
    /// not end.
    case from(Duration)
    /// `@5s..8s`: at every opportunity between these times. `@5s..`: at every opportunity after this time.
    case during(Duration, Duration?)
  }

  /// The argument that follows `=` in an item.
  enum Argument {
    case none
    /// A number 0…1; 1 if it is missing.
    case probability
    /// An integer in this range; it may be missing if there is a default.
    case count(ClosedRange<Int>, Int?)
    /// A time; it may be missing if there is a default.
    case time(Duration?)
    /// Hexadecimal digits. In the two cases below, `:` and a byte or a time follow.
    case request
    case requestAndByte
    case requestAndTime(Duration)
    /// A name or a command.
    case text
  }

  /// How a kind of fault uses its time window.
  enum Timing {
    /// The fault is a state that lasts as long as the window.
    case state
    /// The fault occurs at opportunities in the window, such as a reply.
    case chance
    /// The fault occurs by itself at the start of the window. It therefore needs `@`.
    case moment
  }

  /// All kinds of faults that the virtual adapter can simulate.
  public enum Kind: String, CaseIterable, Sendable {
    // Faults of the serial connection.
    case nul, drop, flip, split, trickle, silent, hang, unplug, garbage, gps
    // Wrong echoes and line ends.
    case echoDouble, echoAll, crlf
    // Wrong prompts and answers.
    case promptLost, promptTwice, promptLate, promptOK, replyTwice, replyJoined, replyBehind, truncate
    // Resets, and wrong banners.
    case reset, brownOut, lvReset, bannerLate, bannerMissing, bannerByte
    // Commands that the adapter lacks.
    case unknown, noSuffix, noMultiPID, protocolZero
    // Messages instead of an answer.
    case searching, unableToConnect, busInitError, canError, busError, busBusy, bufferFull, dataError, rxError
    case stopped, err, actAlert, lpAlert
    // Faults of the car.
    case ignitionOff, noData, noPID, ecuGone, senders, shortVIN, busy, pending, negative, emptyVoltage
    // Damaged or missing frames.
    case badChecksum, badSequence, lostFrame, duplicate
  }
}
