/// A drive, divided into phases. The phases determine the vehicle's speed. ``DriveModel`` computes all other sensor
/// values from it.
public struct DriveCycle: Sendable {
  /// What the car does in a phase.
  public enum Activity: String, CaseIterable, Sendable {
    /// Ignition off: no ECU answers.
    case off
    /// Ignition on, engine off.
    case ignition
    /// Starter running: the battery voltage drops.
    case crank
    /// Engine running, vehicle stationary.
    case idle
    /// Constant acceleration from the previous speed to `speed`.
    case accelerate
    /// Constant speed.
    case cruise
    /// Constant deceleration from the previous speed to `speed`.
    case brake
  }

  /// One phase of a drive.
  public struct Phase: Sendable {
    /// What the car does in this phase.
    public var activity: Activity
    /// Duration of the phase, s; greater than 0.
    public var seconds: Double
    /// Speed at the end of the phase, km/h. Only `accelerate` and `brake` use it.
    public var speed: Double

    /// Creates a phase; the parameters are the properties of the same names.
    public init(_ activity: Activity, seconds: Double, speed: Double = 0) {
      self.activity = activity
      self.seconds = seconds
      self.speed = speed
    }
  }

  /// The phases, at least one.
  public let phases: [Phase]
  /// Whether the drive begins again after the last phase. If not, the last phase continues without end, with its final
  /// speed.
  public let repeats: Bool

  /// The state of the drive at one moment.
  struct Moment {
    var activity = Activity.off
    /// Speed, km/h.
    var speed = 0.0
    /// Acceleration, km/h per second.
    var acceleration = 0.0
    /// Distance since the beginning of the drive, km.
    var distance = 0.0
    /// Total time for which the engine has run, s.
    var engineSeconds = 0.0
    /// Time since the engine was last started, s; 0 while it is off.
    var runSeconds = 0.0
    /// How often the engine was started since the beginning of the drive.
    var starts = 0

    /// Returns the state that is reached `seconds` after the start of `phase`. `self` must be the state at that start.
    func later(_ seconds: Double, in phase: Phase) -> Moment {
      var now = self
      now.activity = phase.activity
      let isRunning = phase.activity.isRunning
      let target: Double =
        switch phase.activity {
        case .accelerate, .brake: phase.speed
        case .cruise: speed
        case .off, .ignition, .crank, .idle: 0
        }
      let share = min(seconds / phase.seconds, 1)
      let start = phase.activity.isMoving ? speed : 0
      now.speed = start + (target - start) * share
      now.acceleration = share < 1 ? (target - start) / phase.seconds : 0
      let within = min(seconds, phase.seconds)
      now.distance += (start + now.speed) / 2 * within / 3600 + now.speed * (seconds - within) / 3600
      if isRunning {
        if !activity.isRunning {
          now.starts += 1
          now.runSeconds = 0
        }
        now.engineSeconds += seconds
        now.runSeconds += seconds
      } else {
        now.runSeconds = 0
      }
      return now
    }
  }

  private struct Start {
    var time: Double
    var moment: Moment
  }

  private let total: Double
  /// The state at the start of each phase of the first lap.
  private let first: [Start]
  /// The state at the start of each phase of the second lap.
  private let second: [Start]

  /// Creates a drive.
  ///
  /// - Parameters:
  ///   - phases: the phases; if the list is empty, the engine idles during the whole drive.
  ///   - repeats: whether the drive begins again after the last phase.
  public init(_ phases: [Phase], repeats: Bool) {
    let phases = phases.isEmpty ? [Phase(.idle, seconds: 1)] : phases
    self.phases = phases
    self.repeats = repeats
    total = phases.reduce(0) { $0 + $1.seconds }
    var end = Moment()
    func lap() -> [Start] {
      var time = 0.0
      return phases.map { phase in
        defer {
          end = end.later(phase.seconds, in: phase)
          time += phase.seconds
        }
        return Start(time: time, moment: end)
      }
    }
    first = lap()
    second = lap()
  }

  /// Returns the state `seconds` after the beginning of the drive.
  func moment(at seconds: Double) -> Moment {
    let seconds = max(0, seconds)
    let lap = repeats ? (seconds / total).rounded(.down) : 0
    let within = seconds - lap * total
    let starts = lap == 0 ? first : second
    let index = (starts.lastIndex { $0.time <= within }) ?? 0
    var moment = starts[index].moment.later(within - starts[index].time, in: phases[index])
    if lap > 1 {
      // The second lap and each later one add the same distance, engine time and number of starts.
      let base = first[0].moment
      let step = second[0].moment
      moment.distance += (step.distance - base.distance) * (lap - 1)
      moment.engineSeconds += (step.engineSeconds - base.engineSeconds) * (lap - 1)
      let restarts = second[second.count - 1].moment.starts - first[first.count - 1].moment.starts
      moment.starts += restarts * Int(lap - 1)
      let neverStops = phases.allSatisfy(\.activity.isRunning)
      if neverStops { moment.runSeconds += (step.engineSeconds - base.engineSeconds) * (lap - 1) }
    }
    return moment
  }
}

extension DriveCycle.Activity {
  var isRunning: Bool { isMoving || self == .idle }
  var isMoving: Bool { self == .accelerate || self == .cruise || self == .brake }
}
