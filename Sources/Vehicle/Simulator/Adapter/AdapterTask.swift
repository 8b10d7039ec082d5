/// The current task of the adapter: steps, sorted by their times. The last step prints the prompt.
struct AdapterTask: Sendable {
  /// An action of the adapter.
  enum Step: Sendable {
    /// Print these characters. Each CR is replaced by the line end that `ATL` selects.
    case text(String)
    /// Print a line with its line end.
    case line(String)
    /// Print a frame that was on the bus.
    case frame(BusFrame)
    /// Use the bus that the search has found.
    case connect(Bus)
    /// Send the request on the bus.
    case send(PendingRequest)
    /// Restore the power-up settings and print the banner. A warm restart keeps the baud rate.
    case restart(banner: String, isWarm: Bool)
    /// Change the baud rate, as `ATBRD` requests.
    case changeBaud(Int)
    /// Print the identity at the new baud rate. The adapter returns to the previous rate unless the host confirms the
    /// new one.
    case baudTrial(previous: Int)
    /// Print the prompt.
    case finish
    /// Print the prompt after the fault `promptLate` has delayed it.
    case latePrompt
  }

  /// A step and the time at which it is executed.
  struct TimedStep: Sendable {
    var time: Duration
    var step: Step
  }

  var steps: [TimedStep] = []
  /// Whether a character from the host interrupts the task. This is so for tasks that wait for the bus.
  var isInterruptible = false
  /// Whether characters that arrive during the task are lost, as during a restart.
  var losesInput = false

  /// Appends a step. Its time must not be earlier than that of the last step.
  mutating func add(_ step: Step, at time: Duration) { steps.append(TimedStep(time: time, step: step)) }
}

/// A request as the host has written it.
struct PendingRequest: Sendable {
  var payload: [UInt8]
  /// Number of frames after which the adapter stops waiting; `nil` if the host did not state a number.
  var count: Int?
}
