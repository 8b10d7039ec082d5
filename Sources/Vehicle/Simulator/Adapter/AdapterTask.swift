/// The adapter's current task: steps in order of time, the last of which is the prompt.
struct AdapterTask: Sendable {
  /// An action of the adapter.
  enum Step: Sendable {
    /// Print characters unchanged; CRs are line ends.
    case text(String)
    /// Print a line with its line end.
    case line(String)
    /// Print a frame that has passed on the bus.
    case frame(BusFrame)
    /// Connect to the bus that the search has found.
    case connect(Bus)
    /// Send the request on the bus.
    case send(PendingRequest)
    /// Restore the settings of power-up and print the banner. A warm restart keeps the baud rate.
    case restart(banner: String, isWarm: Bool)
    /// Change the baud rate (`ATBRD`).
    case changeBaud(Int)
    /// Print the identity at the new baud rate. The previous rate is restored unless the host confirms the new one.
    case baudTrial(previous: Int)
    /// Print the prompt.
    case finish
    /// Print the prompt that a fault delayed.
    case latePrompt
  }

  /// A step with its time.
  struct TimedStep: Sendable {
    var time: Duration
    var step: Step
  }

  var steps: [TimedStep] = []
  /// Whether a character interrupts the task, because it waits for the bus.
  var isInterruptible = false
  /// Whether characters received during the task are lost, as in a restart.
  var losesInput = false

  /// Appends a step, which must not be earlier than the last one.
  mutating func add(_ step: Step, at time: Duration) { steps.append(TimedStep(time: time, step: step)) }
}

/// A request as written by the host.
struct PendingRequest: Sendable {
  var payload: [UInt8]
  /// Number of frames after which the adapter stops waiting; `nil` if not given.
  var count: Int?
}
