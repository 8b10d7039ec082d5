/// What the adapter is busy with: steps in order of time, the last one the prompt.
struct AdapterTask: Sendable {
  enum Step: Sendable {
    /// Characters as they are, CR in them as line ends.
    case text(String)
    /// A line and its end.
    case line(String)
    /// A frame has passed on the bus.
    case frame(BusFrame)
    /// The search has found the car.
    case connect(Bus)
    /// The bus is ready: the request goes out.
    case send(PendingRequest)
    /// Settings are as after power-up, and the banner is printed; a warm one keeps the speed of the wire.
    case restart(banner: String, isWarm: Bool)
    /// `ATBRD`: the wire changes its speed.
    case changeBaud(Int)
    /// Its identity at the new speed; the one before comes back unless the host agrees.
    case baudTrial(previous: Int)
    /// The prompt.
    case finish
    /// The prompt behind a fault that held it up.
    case latePrompt
  }

  struct TimedStep: Sendable {
    var time: Duration
    var step: Step
  }

  var steps: [TimedStep] = []
  /// On the bus: a character stops it.
  var isInterruptible = false
  /// A restart: characters are lost.
  var losesInput = false

  mutating func add(_ step: Step, at time: Duration) { steps.append(TimedStep(time: time, step: step)) }
}

/// A request as the host wrote it.
struct PendingRequest: Sendable {
  var payload: [UInt8]
  /// Frames after which the adapter waits no longer.
  var count: Int?
}
