import OBDWire

/// The dialogue with an ELM327-compatible adapter. It receives bytes, times and events of the port, and returns
/// actions. It has no I/O and no clock, and allocates no memory after `init`.
///
/// Call ``opened(at:)`` when the port is open, then ``next(at:into:)`` until it returns `wait`. After each read from
/// the port, call ``received(_:at:loaded:into:)`` and then `next` again. Also call `next` at the time that `wait`
/// contains. Call ``closed(at:)`` when the port can no longer be used. All times are ns of CLOCK_BOOTTIME. Readings,
/// codes and texts are passed to the handler as soon as they are received. All other events of the adapter and the
/// vehicle are returned as ``SessionAction/report(_:)``.
///
/// Invariants:
/// - One command at a time: the next one is sent after the prompt of the previous one was read, or after its time
///   limit.
/// - If replies no longer match commands, the session resynchronizes the dialogue. It sends ATI, waits for the prompt
///   after its answer, and then until no more bytes arrive. An empty CR is never used, because it would repeat the last
///   command.
/// - An unexpected banner, or an echo after ATE0, means that the adapter lost all its settings. The settings are then
///   sent again.
/// - If the vehicle is parked and its battery is not charged, nothing is sent on its bus (``PowerConfiguration``).
/// - Only services that read are sent to the vehicle (``ReadService``). The one exception is service 04, which is sent
///   only after a call of ``clearCodes(_:)``.
///
/// ``SessionState`` has the states and their transitions.
public struct AdapterSession: ~Copyable {
  /// The settings that were passed to `init`. A ``SessionConfiguration/voltagePeriod`` below one second was raised to
  /// one second.
  public let configuration: SessionConfiguration
  /// The PIDs to poll, and their periods. A change takes effect before the next request.
  public var preferences: PollPreferences { didSet { isPlanOutdated = true } }
  /// Whether the vehicle is polled. If `false`, only the adapter's voltage is read, so that no ECU is woken. A change
  /// to `true` causes one probe of a sleeping vehicle.
  public var pollsVehicle = true { didSet { if pollsVehicle, !oldValue { isPollingResumed = true } } }
  /// Capabilities that the vehicle's ECUs reported.
  public internal(set) var car = VehicleCapabilities()
  /// The planned requests, and their periods.
  public internal(set) var plan = PollPlan()
  /// Data that this session learned. The caller stores them for the next session.
  public internal(set) var memory: SessionMemory

  var state = SessionState.closed
  var dialogue = Dialogue()
  var events = EventQueue()
  var addressed = AddressedTable()
  /// Decides whether requests to the vehicle are allowed.
  var power: PowerWatch

  // These values are kept longer than one state: `port` until the port is opened again, `settings` until the adapter
  // restarts, `vehicle` until the vehicle changes, and all others for the whole session.
  var port = OpenPort()
  var settings = AdapterSettings()
  var vehicle = KnownVehicle()
  var history = SessionHistory()
  var adapterIdentity = AdapterIdentity()
  var baudSearch = BaudSearch()
  var searchRounds = SearchRounds()

  /// Quirks that this session has learned or confirmed.
  var sessionQuirks: Quirks = []
  /// The quirk that will be learned if the adapter answers `?` a second time; empty if the last command was not
  /// refused.
  var doubtedQuirk: Quirks = []
  /// Whether the plan no longer matches the preferences or the vehicle.
  var isPlanOutdated = false
  /// Whether ``pollsVehicle`` was set to `true` since the last decision.
  var isPollingResumed = false
  /// Time of the next reading of the adapter's voltage.
  var nextVoltage: Int64 = 0

  private static let shortestVoltagePeriod: Int64 = 1_000_000_000

  /// Creates a session with a closed port; ``opened(at:)`` begins it.
  ///
  /// - Parameters:
  ///   - configuration: settings that do not change during the session.
  ///   - preferences: the PIDs to poll, and their periods.
  ///   - memory: the data that the last session with this adapter or vehicle learned.
  public init(
    _ configuration: SessionConfiguration, preferences: PollPreferences = PollPreferences(),
    memory: SessionMemory = SessionMemory()
  ) {
    var configuration = configuration
    // With a shorter period, the voltage readings could take all the time.
    configuration.voltagePeriod = max(configuration.voltagePeriod, Self.shortestVoltagePeriod)
    self.configuration = configuration
    self.preferences = preferences
    self.memory = memory
    // The stored memory may have been edited by hand, and the digit is sent to the adapter. Accept only digits that a
    // session stores.
    if !(UInt8(ascii: "1")...UInt8(ascii: "9")).contains(memory.protocolDigit) { self.memory.protocolDigit = 0 }
    vehicle.named.protocolDigit = self.memory.protocolDigit
    plan.absent = memory.silentPIDs
    power = PowerWatch(
      configuration.power, voltagePeriod: configuration.voltagePeriod, offset: memory.voltageOffset,
      hasMoved: memory.measuresVoltage)
  }

  /// The adapter's name as in its banner, for example `ELM327 v1.5`; empty before the adapter was found.
  public var identity: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { adapterIdentity.text.span.extracting(first: adapterIdentity.count) }
  }

  /// ELM digit of the protocol in use, in ASCII; the character `0` if no protocol is known.
  public var currentProtocol: UInt8 { vehicle.protocolDigit }

  /// Whether a vehicle answers.
  public var isConnected: Bool { state.isConnected }

  /// The connection to the vehicle; `nil` if no vehicle answers. An assignment has no effect while the value is `nil`.
  var connection: Connection? {
    get { if case .connected(let connection) = state { connection } else { nil } }
    set { if let newValue, state.isConnected { state = .connected(newValue) } }
  }

  /// Changes the state. If the connection ends while codes are being cleared, the clearing is refused.
  mutating func enter(_ next: SessionState) {
    if !next.isConnected, connection?.clearing != nil { refuseClearing(.notConnected) }
    state = next
  }

  /// Adds an addressed request that a signal set defines.
  ///
  /// - Returns: `false` if the table already has 128 requests.
  public mutating func add(_ request: AddressedRequest) -> Bool {
    isPlanOutdated = true
    return addressed.append(request)
  }

  /// Removes all addressed requests.
  public mutating func removeAddressedRequests() {
    addressed.removeAll()
    isPlanOutdated = true
  }

  // MARK: Quirks

  /// Stores a quirk, and reports it if it is new.
  mutating func learn(_ quirk: Quirks) {
    guard !quirk.isEmpty else { return }
    sessionQuirks.insert(quirk)
    guard !memory.quirks.contains(quirk) else { return }
    memory.quirks.insert(quirk)
    events.append(.quirk(quirk))
  }

  /// Removes a quirk, because an answer of the adapter has disproved it.
  mutating func unlearn(_ quirk: Quirks) {
    guard !quirk.isEmpty, memory.quirks.contains(quirk) else { return }
    memory.quirks.remove(quirk)
    events.append(.memoryChanged)
  }

  /// Whether a quirk was learned or confirmed in this session. A quirk that only an earlier session learned is tested
  /// once: the adapter may have been replaced since, or its answer may have been damaged.
  func isConfirmed(_ quirk: Quirks) -> Bool { memory.quirks.contains(quirk) && sessionQuirks.contains(quirk) }

  /// Whether a quirk is known and was confirmed since the port was opened.
  func isConfirmedSinceOpening(_ quirk: Quirks) -> Bool {
    !quirk.isEmpty && memory.quirks.contains(quirk) && port.confirmedQuirks.contains(quirk)
  }

  /// Handles the answer `?` to a command. A single `?` may be due to a damaged character, or be the answer to an
  /// earlier command.
  ///
  /// - Returns: `true` if the command was refused twice in a row, or the quirk is already known; the quirk is then
  ///   stored. `false` if the command must be sent once more.
  mutating func isRefusal(_ quirk: Quirks) -> Bool {
    guard memory.quirks.contains(quirk) || doubtedQuirk == quirk else {
      doubtedQuirk = quirk
      return false
    }
    doubtedQuirk = []
    learn(quirk)
    return true
  }
}
