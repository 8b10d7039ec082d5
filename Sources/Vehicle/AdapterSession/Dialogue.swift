import OBDWire

/// State of the exchange of one command and its reply.
///
///     ready ──command──► awaiting ──prompt──► ready
///                           │  └──noise, STOPPED──────┐
///                       time limit                    ▼
///                           └──► resynchronizing ──► draining ──quiet──► ready
enum Exchange: BitwiseCopyable {
  /// The adapter is ready for a command.
  case ready
  /// A command was sent. Its prompt must be read before the deadline.
  case awaiting(Purpose, deadline: Int64)
  /// ATI was sent, because a prompt was lost or because replies belonged to earlier commands.
  case resynchronizing(Resynchronization)
  /// Bytes are discarded until none have arrived for some time.
  case draining(Drain)
}

/// State of a resynchronization: ATI was sent, and its answer shows which reply belongs to which command.
struct Resynchronization: BitwiseCopyable {
  let deadline: Int64
  /// Whether a prompt was read after ATI was sent. This prompt may still belong to an earlier command.
  var hasPrompt = false
  /// The purpose of the command whose prompt was lost; `nil` if no prompt was lost.
  let interrupted: Purpose?
}

/// A wait until no more bytes arrive. Bytes that arrive meanwhile are discarded.
struct Drain: BitwiseCopyable {
  var until: Int64
  /// Time at which the wait ends even if bytes still arrive, ns since boot.
  let limit: Int64
  /// The purpose of the command whose prompt was lost; `nil` if no prompt was lost. The command counts as unanswered
  /// when the wait ends.
  let interrupted: Purpose?
}

/// The purpose of a command. It determines how the reply is handled.
enum Purpose: BitwiseCopyable, Equatable {
  case reset
  case setting(InitialStep)
  case selectProtocol
  case search
  case protocolNumber
  case greeting
  case support
  /// A request of the plan, with its index in the plan and the count of expected frames that was sent after it.
  case poll(Int, suffix: UInt8)
  case arbitration
  case presenceCheck
  case job(Job)
  case wait(UInt8)
  case address
  case clearing(ClearStep)
  case quiet(QuietStep)
  case baud(BaudStep)

  /// Whether the command is a request to the vehicle. The reply then shows whether the vehicle answers.
  var asksVehicle: Bool {
    switch self {
    case .search, .greeting, .support, .poll, .arbitration, .presenceCheck, .clearing: true
    case .job(let job): !job.isForAdapter
    default: false
    }
  }

  /// Whether the command requests the adapter's voltage.
  var asksVoltage: Bool { self == .job(.voltage) || self == .setting(.voltage) }
}

/// The next step of the session: a command or a wait.
enum Decision: BitwiseCopyable {
  case send(Command, ReadRequest?, Purpose, limit: Int64)
  case wait(until: Int64)
  /// The state has changed. Decide again.
  case again
}

/// The exchange of commands and replies with the adapter, one command at a time.
struct Dialogue: ~Copyable {
  var reader = ReplyReader()
  /// Facts about the reply that is being received. Bytes between a prompt and the next command are observed, too.
  var observer = ReplyObserver()
  var exchange = Exchange.ready
  /// The last command that was sent.
  var command = Command(.identify)
  var bytes = ReplyBytes()
  var alignment = Alignment()
  /// An action that ``AdapterSession/next(at:into:)`` returns after it has returned all events; `nil` if there is none.
  var pendingAction: SessionAction?

  /// The purpose of the command in progress; `nil` if there is none.
  var purpose: Purpose? { if case .awaiting(let purpose, _) = exchange { purpose } else { nil } }

  /// Discards the state of the former connection, because the port was just opened.
  mutating func restart() {
    reader = ReplyReader()
    exchange = .ready
    alignment.lostPrompts = 0
    pendingAction = nil
    bytes.beginReply()
    observer = ReplyObserver()
  }

  /// Begins to discard bytes until none have arrived for `time` (ns). The wait is limited, because some devices never
  /// stop sending.
  mutating func drain(at now: Int64, for time: Int64 = Limit.quiet, interrupted: Purpose? = nil) {
    exchange = .draining(Drain(until: now + time, limit: now + Limit.longestDrain, interrupted: interrupted))
  }

  /// Restarts the wait for quiet, because bytes have arrived. Does nothing if no bytes are being discarded.
  mutating func extendDrain(at now: Int64) {
    guard case .draining(var drain) = exchange else { return }
    drain.until = min(now + Limit.quiet, drain.limit)
    exchange = .draining(drain)
  }
}

/// Facts about a reply that are known before it is parsed.
struct ReplyBytes: BitwiseCopyable {
  /// Whether the reply contains a printable character.
  private(set) var hasContent = false
  /// Whether the reply begins with an echo of the command.
  private(set) var isEchoed = false
  /// Number of NMEA sentences in the reply. If there are any, the device is a GNSS receiver.
  private(set) var sentences = 0
  /// Time of the last printable character.
  private(set) var lastContentAt: Int64 = 0
  /// Number of characters at the start of the reply that equal the first characters of the command. The number is set
  /// to the command's length (including the CR) as soon as a character differs.
  private var echoMatched = 0
  private var previous: UInt8 = 0

  mutating func beginReply() {
    hasContent = false
    isEchoed = false
    echoMatched = 0
    sentences = 0
  }

  mutating func record(_ byte: UInt8, of command: borrowing Command, at now: Int64) {
    if byte > 0x20, byte < 0x7F {
      lastContentAt = now
      hasContent = true
      if echoMatched < command.count - 1 {
        echoMatched = byte == command.bytes[echoMatched] ? echoMatched + 1 : command.count
        if echoMatched == command.count - 1 { isEchoed = true }
      }
    }
    if previous == UInt8(ascii: "$"), byte == UInt8(ascii: "G") || byte == UInt8(ascii: "B") { sentences += 1 }
    previous = byte
  }
}

/// Detects replies that answer an earlier command instead of the last one.
struct Alignment: BitwiseCopyable {
  /// If this many replies in a row answer the previous request, commands and replies are out of step.
  private static let behindLimit = 2
  /// Two misalignments belong to the same series if the time between them is at most this long, ns.
  private static let seriesTime: Int64 = 60_000 * Limit.millisecond

  /// Number of prompts that were lost since the last command that was answered.
  var lostPrompts = 0
  /// The request of the last command; `nil` if that command was for the adapter.
  var previousRequest: ReadRequest?
  private var repliesBehind = 0
  /// Number of misalignments in the current series.
  private var misalignments = 0
  /// Time of the last misalignment, ns since boot.
  private var misalignedAt = Int64.min / 2

  /// Counts replies in a row that answer the previous request instead of the current one.
  ///
  /// - Returns: whether commands and replies are out of step.
  mutating func isBehind(_ reply: ReplyObserver) -> Bool {
    if reply.answeredPlaces != 0 || reply.refusals > 0 { repliesBehind = 0 }
    guard reply.answersPrevious else { return false }
    repliesBehind += 1
    return repliesBehind >= Self.behindLimit
  }

  /// Counts a misalignment: commands and replies were out of step.
  ///
  /// - Returns: the number of misalignments in the current series.
  mutating func recordMisalignment(at now: Int64) -> Int {
    repliesBehind = 0
    misalignments = now - misalignedAt <= Self.seriesTime ? misalignments + 1 : 1
    misalignedAt = now
    return misalignments
  }
}
