import OBDWire

/// The dialogue with an ELM327: what came in and when, what to do next. No I/O, no clock, no allocation after `init`.
///
/// Call order: ``opened(at:)`` when the port is open, then ``next(at:into:)`` again and again until it says `wait`; after
/// each read ``received(_:at:loaded:into:)``, and `next` again; `next` also when the time has come that `wait` named.
/// ``closed(at:)`` when the port is gone. Times are ns of CLOCK_BOOTTIME. Readings, codes and texts go to the handler as
/// they are read; what happens to adapter and vehicle comes as ``SessionAction/report(_:)``.
///
/// What holds always:
/// - One command at a time: the next goes out when the prompt of the one before was read, or after its time limit.
/// - A dialogue out of step is put right by ATI, its prompt and quiet, never by an empty CR, which would repeat the last
///   command.
/// - A banner that nobody asked for, or an echo after ATE0, means that all settings are lost: they are made again.
/// - A vehicle that stands with its battery at rest is left alone (``PowerConfiguration``): nothing reaches its bus then.
/// - Only services that read reach the bus (``ReadService``); service 04 by ``clearCodes(_:)`` alone.
public struct AdapterSession: ~Copyable {
  /// As it was given; ``SessionConfiguration/voltagePeriod`` is a second at least.
  public let configuration: SessionConfiguration
  /// What is polled, and how often; a change is heeded with the next request.
  public var wishes: PollWishes { didSet { isPlanOutdated = true } }
  /// Whether the vehicle is polled, as far as the caller decides. While it is not, only the adapter's voltage is read:
  /// nothing wakes an ECU. Set again, a vehicle that sleeps is asked once.
  public var pollsVehicle = true { didSet { if pollsVehicle, !oldValue { isPollingResumed = true } } }
  /// What the vehicle's ECUs said of themselves.
  public internal(set) var car = CarKnowledge()
  /// What is asked, and how often.
  public internal(set) var plan = PollPlan()
  /// What is worth keeping for the next session.
  public internal(set) var memory: SessionMemory
  /// A vehicle answers.
  public internal(set) var isConnected = false

  var reader = ReplyReader()
  var observer = ReplyObserver()
  var addressed = AddressedTable()
  var events = EventQueue()
  var identityText = InlineArray<40, UInt8>(repeating: 0)
  var identityCount = 0
  /// Tells one banner from another: a swapped adapter.
  var bannerDigest: UInt32 = 0

  var stage = Stage.closed
  var exchange = Exchange.ready
  var purpose = Purpose.none
  var command = Command(.identify)
  /// The command that failed, while the dialogue is put right.
  var interrupted = Purpose.none
  var resynchronisations = 0
  /// While the dialogue is put right: some prompt was read.
  var hasHeardPrompt = false
  /// What was asked before the command under way; nil: the adapter.
  var previousRequest: ReadRequest?
  /// Replies in a row that answer that.
  var repliesBehind = 0
  /// How often in a row the dialogue was out of step, and when last.
  var misalignments = 0
  var misalignedAt = Int64.min / 2
  /// When waiting for quiet ends in any case.
  var settlingEnds = Int64.max
  /// Done as soon as the reports are fetched.
  var pendingAction: SessionAction?

  // The reply being read, as bytes.
  var sawContent = false
  var echoMatched = 0
  var isEchoed = false
  var previousByte: UInt8 = 0
  var sentences = 0
  var lastContentAt: Int64 = 0

  // Finding the adapter.
  /// Speed of the port, baud; 0: not ours to set.
  var linkBaud = 0
  /// The one before it was changed by ATBRD or STBR; 0: it was not.
  var formerBaud = 0
  /// How often it was gone back to.
  var baudReturns = 0
  var baudIndex = -1
  /// The last of the list that a silent device was tried at.
  var spareBaud = -1
  var baudPass = 0
  var resets = 0
  /// Links that broke while ATZ was under way, in a row.
  var lostResets = 0
  var openedAt: Int64 = 0
  var wasFound = false
  var reopenings = 0
  /// Tries of the setting under way.
  var tries = 0

  // Finding the vehicle.
  var searchRound = 0
  /// When the round under way began.
  var searchBegan: Int64 = 0
  /// Digit that the adapter was set to first.
  var selectedDigit: UInt8 = 0x30
  var protocolDigit: UInt8 = 0x30
  var bus = BusProtocol.auto
  var wasConnected = false
  var lastLoss: LossReason?
  var lastFailure: LossReason?
  /// Of the first answer to 0100 something was lost: it is asked again.
  var isSupportDamaged = false
  /// The kind of address that the adapter's protocol number promises, while the vehicle is looked for again because its
  /// answers had another.
  var searchedKind: ECUAddress.Kind?
  /// The number was wrong: the frames count.
  var distrustsNumber = false
  /// How often an unknown ECU makes all be asked again: one may poll well and never say what it supports.
  var discoveriesLeft = 0
  static let discoveriesLimit = 3

  /// The vehicle whose VIN ``memory`` holds.
  var named = NamedVehicle()
  /// ``SessionEvent/vehicleUnnamed`` was told: a VIN that comes now is another vehicle's.
  var isUnnamed = false

  /// Finds values that no one vehicle can have one after the other.
  var steadiness = Steadiness()

  // Polling.
  var isPlanOutdated = false
  var silentReplies = 0
  /// Under way after several silent replies in a row.
  var rollCall: RollCall?
  /// Roll calls in a row that were answered with the longest wait alone.
  var slowAnswers = 0
  /// It turned out in this session that ECUs answer later than usual.
  var isSlow = false
  /// They answer later than the longer wait, too.
  var needsLongestWait = false
  /// When the vehicle was found, and how often it was lost soon after that.
  var connectedAt: Int64 = 0
  var repeatedLosses = 0
  /// Decides whether the vehicle may be asked.
  var power: PowerWatch
  /// ``pollsVehicle`` was set since the last decision.
  var isPollingResumed = false
  /// ATPC was sent, since the vehicle is not polled.
  var isProtocolClosed = false
  /// ATSW00 was sent.
  var areWakeupsStopped = false
  /// ATLP was sent: a character must come first, and everything is to be set anew.
  var isInLowPower = false
  var jobs: UInt16 = 0
  var isJobsTurn = false
  var jobTries = 0
  var jobNotBefore: Int64 = 0
  var nextCodes: Int64 = 0
  var nextVoltage: Int64 = 0
  /// In the search: a try has ended since the voltage was read, and the next one has not begun.
  var isBetweenTries = false
  var storedDigest: UInt32 = 0
  var pendingDigest: UInt32 = 0
  var freezeCursor = FreezeCursor()
  /// ATST as it is, and as it should be when nothing special is asked.
  var wait: UInt8 = Self.usualWait
  var baseWait: UInt8 = Self.usualWait
  /// The adapter says that it keeps a K-line's pause itself.
  var keepsPause = false
  /// How often it turned out that it does not.
  var pauseDoubts = 0
  /// The quirk that one `?` spoke for.
  var doubtedRefusal: Quirks = []
  /// Quirks that were found again since the port was opened; others that are known are put to the test once.
  var retested: Quirks = []
  /// Answers within the usual wait, of ECUs that were slow in an earlier session.
  var promptAnswers = 0
  /// The request under way was sent within P3min.
  var isEarly = false
  /// Request of the plan that is sent once more, behind P3min; -1: none.
  var doubted = -1
  /// Row of the addressed request whose settings the adapter has; -1: none.
  var address = -1
  var addressSince: Int64 = 0
  var addressChange: AddressChange?
  var clearing: Clearing?

  /// ATST32, the data sheet's default: 205 ms.
  static let usualWait: UInt8 = 0x32
  static let longestWait: UInt8 = 0xFF
  /// ATSW92: a wakeup message each 3 s.
  static let usualWakeup: UInt8 = 0x92
  private static let shortestVoltagePeriod: Int64 = 1_000_000_000

  /// A session with a closed port; ``opened(at:)`` begins it.
  ///
  /// - Parameters:
  ///   - configuration: what does not change while it runs.
  ///   - wishes: what is polled, and how often.
  ///   - memory: what the last session with this adapter or vehicle learned.
  public init(
    _ configuration: SessionConfiguration, wishes: PollWishes = PollWishes(), memory: SessionMemory = SessionMemory()
  ) {
    var configuration = configuration
    // Without a pause the voltage would be all that is asked.
    configuration.voltagePeriod = max(configuration.voltagePeriod, Self.shortestVoltagePeriod)
    self.configuration = configuration
    self.wishes = wishes
    self.memory = memory
    // Kept in a file that anyone may have changed; these alone are ever learned, and go to the adapter.
    if !(UInt8(ascii: "1")...UInt8(ascii: "9")).contains(memory.protocolDigit) { self.memory.protocolDigit = 0 }
    named.protocolDigit = self.memory.protocolDigit
    plan.absent = memory.silentPIDs
    power = PowerWatch(
      configuration.power, voltagePeriod: configuration.voltagePeriod, offset: memory.voltageOffset,
      hasMoved: memory.measuresVoltage)
  }

  /// What the adapter calls itself, as in its banner: `ELM327 v1.5`; empty before it was found.
  public var identity: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { identityText.span.extracting(first: identityCount) }
  }

  /// ELM digit of the protocol in use (ASCII); `0` while none is known.
  public var currentProtocol: UInt8 { protocolDigit }

  /// Adds a signal set's request.
  ///
  /// - Returns: false where the table of 128 is full.
  public mutating func add(_ request: AddressedRequest) -> Bool {
    isPlanOutdated = true
    return addressed.append(request)
  }

  /// Removes all signal sets' requests.
  public mutating func removeAddressedRequests() {
    addressed.removeAll()
    isPlanOutdated = true
  }

  /// Asks for service 04. What comes of it is reported: `codesCleared` or `clearRefused`. A vehicle of OBDonUDS is
  /// refused with `notSaved`: its freeze frames (19 04) are not read yet, and clearing (14 FFFF33) would lose them.
  public mutating func clearCodes(_ permission: ClearPermission) {
    guard isConnected, stage == .running, !car.isUDS else {
      events.append(.clearRefused(isConnected && car.isUDS ? .notSaved : .notConnected))
      return
    }
    clearing = Clearing(permission: permission)
  }

  mutating func learn(_ quirk: Quirks) {
    guard !quirk.isEmpty, !memory.quirks.contains(quirk) else { return }
    memory.quirks.insert(quirk)
    events.append(.quirk(quirk))
  }

  /// The adapter did what it was thought not to do.
  mutating func unlearn(_ quirk: Quirks) {
    guard !quirk.isEmpty, memory.quirks.contains(quirk) else { return }
    memory.quirks.remove(quirk)
    events.append(.memoryChanged)
  }

  /// Takes a refusal (`?`). The first is not believed: it may be a damaged character, or answer what was sent before.
  ///
  /// - Returns: whether it was refused twice in a row, and is learned; else the same is to be sent again.
  mutating func isRefusal(_ quirk: Quirks) -> Bool {
    guard memory.quirks.contains(quirk) || doubtedRefusal == quirk else {
      doubtedRefusal = quirk
      return false
    }
    doubtedRefusal = []
    learn(quirk)
    return true
  }
}
