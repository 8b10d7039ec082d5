import OBDWire

/// The dialogue with a vehicle that answers. All of this state is discarded when the connection ends.
struct Connection: BitwiseCopyable {
  /// Maximum number of further discoveries that unknown ECUs can cause. It is limited because some ECUs answer requests
  /// but never report their supported PIDs.
  static let discoveriesLimit = 3

  enum Phase: BitwiseCopyable {
    /// Read the first values before any other request. `firstBase` is the support PID with which the discovery then
    /// begins.
    case greeting(firstBase: UInt8)
    /// Read which of the PIDs `base` + 1…`base` + 32 are supported. `tries` is the number of failed requests.
    case discovering(base: UInt8, tries: Int)
    case polling
  }

  var phase: Phase
  /// Time at which the vehicle was found.
  let since: Int64
  /// Number of requests in a row that no ECU answered.
  var silentReplies = 0
  /// The check whether the vehicle is still present, made after several requests in a row that no ECU answered; `nil`
  /// if none is in progress.
  var presenceCheck: PresenceCheck?
  /// Number of further discoveries that unknown ECUs may still cause.
  var discoveriesLeft = Self.discoveriesLimit
  var jobs: JobQueue
  var freezeCursor = FreezeCursor()
  /// Next time at which the trouble codes are read.
  var nextCodes: Int64
  /// Clearing of the trouble codes in progress.
  var clearing: Clearing?
  var pause = KLinePause()

  /// Whether the discovery has ended and the plan is polled.
  var isPolling: Bool { if case .polling = phase { true } else { false } }
}

/// The state of the pause on a K-line (P3min), which either the adapter or the session makes.
struct KLinePause: BitwiseCopyable {
  /// Whether the adapter's parameter list says that it makes the pause itself.
  var isKeptByAdapter = false
  /// Number of requests that were answered only when they were repeated after P3min. Each is evidence that the adapter
  /// does not make the pause.
  var doubts = 0
  /// Number of requests in a row that were answered although they were sent within P3min.
  var earlyAnswers = 0
  /// Whether the request in progress was sent within P3min.
  var isEarly = false
  /// Index of the plan's request that is repeated after P3min; `nil` if none.
  var repeated: Int?
}

/// Jobs that are pending. They are sent when the plan leaves time for them.
struct JobQueue: BitwiseCopyable {
  /// One bit for each ``Job``.
  var pending: UInt16
  /// Whether the next job may be sent because a request of the plan was sent since the last job.
  var isTurn = false
  /// Failed tries of the current job.
  var tries = 0
  /// Time before which no job is sent.
  var notBefore: Int64 = 0

  init(_ jobs: UInt16) { pending = jobs }

  mutating func insert(_ jobs: UInt16) { pending |= jobs }

  mutating func remove(_ job: Job) { pending &= ~job.bit }

  /// Removes a job that is done. The next job may start immediately.
  mutating func finish(_ job: Job) {
    remove(job)
    tries = 0
    notBefore = 0
  }

  /// The most urgent job; `nil` if none is pending.
  var first: Job? {
    pending == 0 ? nil : Job(rawValue: UInt8(truncatingIfNeeded: pending.trailingZeroBitCount))
  }
}

/// Requests that are made once or at long intervals, between the requests of the plan; the most urgent first.
enum Job: UInt8, BitwiseCopyable {
  /// ATPPS: whether the adapter makes a K-line's pause itself. This is read first, because all later requests may be
  /// sent sooner if it does.
  case parameters
  case informationSupport, vin, calibrationID, calibrationVerification, ecuName
  case storedCodes, pendingCodes, permanentCodes, freezeFrame, voltage
  /// Engine speed and vehicle speed (PIDs 0C and 0D). They are requested if the voltage is at or below the cut-off and
  /// neither was reported recently.
  case engineSpeed, speed
  /// The VIN (09 02) again, to detect a swapped vehicle.
  case vinAgain

  var bit: UInt16 { 1 << UInt16(rawValue) }
  /// Whether the adapter itself answers, not an ECU.
  var isForAdapter: Bool { self == .parameters || self == .voltage }

  static let identification: UInt16 =
    Job.informationSupport.bit | Job.vin.bit | Job.calibrationID.bit | Job.calibrationVerification.bit | Job.ecuName.bit
  static let motion: UInt16 = Job.engineSpeed.bit | Job.speed.bit
  static let codes: UInt16 = Job.storedCodes.bit | Job.pendingCodes.bit | Job.permanentCodes.bit
}
