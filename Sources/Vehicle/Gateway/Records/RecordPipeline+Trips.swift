import Fusion
import Telemetry

/// A trip that was under way when its line, or the program, ended.
struct SuspendedTrip: Sendable {
  var memory: TripMemory
  /// Until then its adapter may come back and go on with it.
  var deadline: Int64
}

/// Trips over the ends of lines and of the program: none is lost, none is told twice.
extension RecordPipeline {
  /// Takes the trips that were under way when the program ended.
  public mutating func resumeTrips(_ memories: [TripMemory], at time: Int64) {
    for memory in memories {
      // What a box without an adapter followed goes on at once: nobody has to come back.
      if memory.adapter == own.name {
        own.fusion.resumeTrip(memory, bootId: options.bootId, at: time)
      } else {
        wait(memory, at: time)
      }
    }
  }

  /// What is to be kept of all trips under way.
  public mutating func tripMemories(at time: Int64) -> [TripMemory] {
    // Nearly always there is one at most: an empty array takes nothing from the heap.
    var memories: [TripMemory] = []
    for index in suspendedTrips.indices { memories.append(suspendedTrips[index].memory) }
    if let memory = memory(of: own, at: time) { memories.append(memory) }
    for index in sources.indices where !sources[index].isClosed {
      if let memory = memory(of: sources[index], at: time) { memories.append(memory) }
    }
    return memories
  }

  /// Counts on whenever what ``tripMemories(at:)`` gives must be kept at once.
  public var tripChanges: Int {
    var count = own.fusion.tripChanges
    for index in sources.indices { count += sources[index].fusion.tripChanges }
    return count
  }

  private func memory(of source: RecordSource, at time: Int64) -> TripMemory? {
    guard var memory = source.fusion.tripMemory(bootId: options.bootId, at: time) else { return nil }
    memory.adapter = source.name
    return memory
  }

  private mutating func wait(_ memory: TripMemory, at time: Int64) {
    guard let trips = options.trips else { return }
    suspendedTrips.append(SuspendedTrip(memory: memory, deadline: time + trips.stopTime))
  }

  /// A line has ended: its adapter may come back.
  mutating func takeTrip(of source: RecordSource, at time: Int64) {
    guard options.trips?.endsWithSession == false, let memory = memory(of: source, at: time) else { return }
    wait(memory, at: time)
  }

  /// An adapter has come: its trip goes on, or is closed, as it says.
  mutating func resumeSuspendedTrip(to source: RecordSource, at time: Int64) {
    guard let place = suspendedTrips.firstIndex(where: { $0.memory.adapter == source.name }) else { return }
    source.fusion.resumeTrip(suspendedTrips.remove(at: place).memory, bootId: options.bootId, at: time)
  }

  /// No adapter came for these trips.
  mutating func endSuspendedTrips<Sink: RecordSink & ~Copyable>(at now: Int64, into sink: inout Sink) {
    for place in suspendedTrips.indices.reversed() where now >= suspendedTrips[place].deadline {
      let memory = suspendedTrips.remove(at: place).memory
      begin(own)
      own.fusion.endTrip(of: memory, bootId: options.bootId, at: now, into: &sink)
      end(own)
    }
  }
}
