/// One item of a list of faults (`--faults`): what fails, how much, and when.
public struct Fault: Sendable, Equatable {
  /// The kind of fault.
  public var kind: Kind
  /// The fault's argument if it is a probability, a count or an error code; otherwise 1.
  var number: Double
  /// The fault's argument if it is a duration; otherwise zero.
  var duration: Duration
  /// The fault's argument if it is a request, a PID, an address or other bytes; otherwise empty.
  var bytes: [UInt8]
  /// The fault's argument if it is the beginning of a command, in upper case; otherwise empty.
  var text: String
  /// The time window in which the fault occurs.
  var window: Window

  /// The time window in which a fault occurs, as given after `@`.
  public enum Window: Sendable, Equatable {
    /// No `@`: at every opportunity.
    case always
    /// `@5s`: once, at the first opportunity from this time on. If the fault is a state, it begins at this time and
    /// does not end.
    case from(Duration)
    /// `@5s..8s`: at every opportunity between these times. `@5s..`: at every opportunity from this time on.
    case during(Duration, Duration?)
  }

  /// The argument that follows `=` in an item.
  enum Argument {
    case none
    /// A probability from 0 to 1; 1 if it is missing.
    case probability
    /// An integer in the given range. It may be missing if the second value, the default, is not `nil`.
    case count(ClosedRange<Int>, Int?)
    /// A time. It may be missing if the associated value, the default, is not `nil`.
    case time(Duration?)
    /// A request, a PID or an address in hexadecimal digits.
    case request
    /// A request in hexadecimal digits, `:` and the negative response code.
    case requestAndByte
    /// A request in hexadecimal digits, optionally followed by `:` and a time. If the time is missing, it is the
    /// associated value.
    case requestAndTime(Duration)
    /// The beginning of the commands that the fault concerns.
    case text
  }

  /// How a kind of fault uses its time window.
  enum Timing {
    /// The fault is a state that lasts as long as the window.
    case state
    /// The fault may occur at each opportunity in the window, for example at each reply.
    case chance
    /// The fault occurs by itself at the start of the window. The item must therefore have a time after `@`.
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
    // Messages that replace an answer or are added to it.
    case searching, unableToConnect, busInitError, canError, busError, busBusy, bufferFull, dataError, rxError
    case stopped, err, actAlert, lpAlert
    // Faults of the car.
    case ignitionOff, noData, noPID, ecuGone, senders, shortVIN, busy, pending, negative, emptyVoltage
    // Damaged or missing frames.
    case badChecksum, badSequence, lostFrame, duplicate
  }
}
