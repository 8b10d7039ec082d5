import OBDWire

/// The state of a session. Each case has the data that exist only in that state.
///
///     closed ──► probing ──► initializing ──► searching ──► naming ──► connected
///                                                 ▲           │            │
///                                                 │    unsupportedBus      │ lost
///                                                 └──── resting ◄──────────┘
///
/// From every state, a closed port or a lost prompt leads to `closed`, a fatal error to `probing`, and an unexpected
/// banner to `initializing`. The diagram does not show that `changingBaud` is between `initializing` and `searching`,
/// that a search without success leads to `resting`, and that `unsupportedBus` leads to `searching` if the bus changes
/// to a supported one.
///
/// Values that are needed longer than one state are stored in ``AdapterSession``: ``AdapterSettings`` until the adapter
/// restarts, ``OpenPort`` until the port is opened again, ``KnownVehicle`` until another vehicle is identified, and
/// ``SessionHistory`` for the whole session.
enum SessionState: BitwiseCopyable {
  /// The port is closed.
  case closed
  /// ATZ is sent at one baud rate after another until the adapter answers.
  case probing(Probe)
  /// The settings are sent one by one.
  case initializing(Initialization)
  /// The adapter and the port change to another baud rate.
  case changingBaud(BaudChange)
  /// The session searches for a vehicle, trying one protocol after another. It is also in this state while a vehicle
  /// sleeps.
  case searching(Search)
  /// A vehicle answers, and the adapter is asked for the number of the protocol.
  case naming(Naming)
  /// A vehicle answers on a known bus, and is polled.
  case connected(Connection)
  /// The bus uses a protocol that is not polled (SAE J1939). At the time `nextCheck`, the adapter is asked again for
  /// the number of the protocol.
  case unsupportedBus(nextCheck: Int64)
  /// Nothing is sent to the vehicle until the time `until`. `then` is the state that follows.
  case resting(until: Int64, then: AfterRest)

  /// Whether the state is `connected`.
  var isConnected: Bool { if case .connected = self { true } else { false } }

  /// Whether the session sends requests to the vehicle in this state: the adapter is initialized, and the session
  /// searches for a vehicle or polls it.
  var asksVehicle: Bool {
    switch self {
    case .searching, .naming, .connected, .resting(_, .search): true
    case .closed, .probing, .initializing, .changingBaud, .unsupportedBus, .resting(_, .probe): false
    }
  }

  /// Whether ATE0 was sent before this state. If the adapter accepted it and now echoes, it has lost its settings.
  var isPastEchoOff: Bool {
    switch self {
    case .closed, .probing, .resting: false
    case .initializing(let initialization): initialization.step != .echoOff
    case .changingBaud, .searching, .naming, .connected, .unsupportedBus: true
    }
  }
}

/// The state that follows a pause.
enum AfterRest: BitwiseCopyable, Equatable { case probe, search }

/// An attempt to get an answer to ATZ at one baud rate.
struct Probe: BitwiseCopyable {
  /// Number of replies to ATZ at this baud rate.
  var replies = 0
}

/// Progress of sending the settings after ATZ.
struct Initialization: BitwiseCopyable {
  var step = InitialStep.echoOff
  /// Number of times that this step's command was refused or its prompt was missing.
  var tries = 0
}

/// The commands that initialize the adapter, in the order in which they are sent.
enum InitialStep: UInt8, BitwiseCopyable, CaseIterable {
  case echoOff, selectProtocol, linefeedsOff, spacesOff, headersOn, adaptiveTiming, timeout
  case identity, description, stn, voltage

  var next: InitialStep? { InitialStep(rawValue: rawValue + 1) }

  /// The quirk that is learned if the adapter refuses the command of this step (`?`); empty if a refusal is normal.
  var quirk: Quirks {
    switch self {
    case .echoOff: .noEchoOff
    case .selectProtocol: .noProtocolSelection
    case .linefeedsOff: .noLinefeedsOff
    case .spacesOff: .noSpacesOff
    case .headersOn: .noHeaders
    case .adaptiveTiming: .noAdaptiveTiming
    case .timeout: .noTimeout
    case .identity: .noIdentity
    case .description: .noDescription
    // No quirk, because most adapters are not STN chips.
    case .stn: []
    case .voltage: .noVoltage
    }
  }
}

/// Progress of a change of the baud rate.
struct BaudChange: BitwiseCopyable {
  var step = BaudStep.timeLimit
  /// Number of failed attempts of this step.
  var tries = 0
}

/// One round of attempts to find a vehicle.
struct Search: BitwiseCopyable {
  var step: SearchStep
  /// Number of times that the adapter refused or interrupted the request of this step.
  var tries = 0
  /// The reason why the first attempt of the round failed; `nil` before that. It is reported instead of later reasons,
  /// because the first attempt uses the vehicle's last protocol or the adapter's own search.
  var firstFailure: LossReason?
  /// Whether an attempt has ended since the voltage was last read. If `true` and the voltage is due, it is read before
  /// the next attempt.
  var mayReadVoltage = false
  var numberTrust = ProtocolNumberTrust.trusted
}

/// Whether the protocol number of the adapter agrees with the addresses of the ECUs.
enum ProtocolNumberTrust: BitwiseCopyable, Equatable {
  case trusted
  /// The protocol number did not agree with the addresses, so the vehicle is queried again. Only answers from addresses
  /// of this kind count, because the protocol number implies this kind.
  case verifying(ECUAddress.Kind)
  /// No ECU answered from an address of the kind that the protocol number implies, so the number is wrong.
  case distrusted
}

/// The state in which the number of the protocol is read (ATDPN), after a vehicle answered.
struct Naming: BitwiseCopyable {
  /// Number of replies to ATDPN so far.
  var tries = 0
  /// Whether a part of the first answer to 0100 was lost. If so, 0100 is sent again during the discovery.
  let isSupportDamaged: Bool
  let numberTrust: ProtocolNumberTrust
}
