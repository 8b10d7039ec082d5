/// What the driver does, phase after phase: the speed follows from it exactly, everything else by ``DriveModel``.
public struct DriveCycle: Sendable {
  /// What happens in a phase.
  public enum Activity: String, CaseIterable, Sendable {
    /// Ignition off: nothing answers.
    case off
    /// Ignition on, engine off.
    case ignition
    /// The starter turns: the battery's voltage dips.
    case crank
    /// Engine on, standing.
    case idle
    /// From the speed before to `speed`, evenly.
    case accelerate
    /// At the speed before.
    case cruise
    /// From the speed before down to `speed`, evenly.
    case brake
  }

  /// One phase.
  public struct Phase: Sendable {
    /// What happens.
    public var activity: Activity
    /// How long, above 0.
    public var seconds: Double
    /// km/h at its end; of `accelerate` and `brake` alone.
    public var speed: Double

    /// - Parameters: as the properties of the same names.
    public init(_ activity: Activity, seconds: Double, speed: Double = 0) {
      self.activity = activity
      self.seconds = seconds
      self.speed = speed
    }
  }

  /// The phases, at least one.
  public let phases: [Phase]
  /// After the last phase the first follows; else the last goes on for ever, at the speed it ended with.
  public let repeats: Bool

  /// Where the car stands at one moment of the cycle.
  struct Moment {
    var activity = Activity.off
    /// km/h.
    var speed = 0.0
    /// km/h per second.
    var acceleration = 0.0
    /// km since the beginning.
    var distance = 0.0
    /// s that the engine has run, in all.
    var engineSeconds = 0.0
    /// s since the engine was started last.
    var runSeconds = 0.0
    /// Starts of the engine, in all.
    var starts = 0

    /// `seconds` further into a phase that began at this moment.
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
  /// At the beginning of each phase, in the first lap and, from its end on, in the second.
  private let first: [Start]
  private let second: [Start]

  /// - Parameters:
  ///   - phases: at least one; an empty list stands for idling.
  ///   - repeats: whether the first phase follows the last.
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

  /// The moment `seconds` after the beginning.
  func moment(at seconds: Double) -> Moment {
    let seconds = max(0, seconds)
    let lap = repeats ? (seconds / total).rounded(.down) : 0
    let within = seconds - lap * total
    let starts = lap == 0 ? first : second
    let index = (starts.lastIndex { $0.time <= within }) ?? 0
    var moment = starts[index].moment.later(within - starts[index].time, in: phases[index])
    if lap > 1 {
      // What adds up, adds up alike in every lap.
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
