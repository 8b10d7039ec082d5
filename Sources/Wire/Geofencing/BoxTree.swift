/// An index that finds the fences near a position: an R-tree with 16 boxes in each node.
///
/// The tree is built once from all boxes (Leutenegger, Lopez and Edgington 1997, "STR") and never changes. A search
/// examines only the contents of boxes that intersect the searched rectangle.
struct BoxTree: Sendable {
  struct Entry: BitwiseCopyable, Sendable {
    var box: Box
    var fence: Int32
  }

  private static var width: Int { 16 }

  /// The boxes of all levels of the tree. The first level has the boxes of the fences. Each box of a further level
  /// contains up to 16 boxes of the previous level; the last level is one box that contains all.
  private var boxes: [Box] = []
  /// The fence to which each box of the first level belongs.
  private var fences: [Int32] = []
  /// For each level, the index in `boxes` at which the level begins; at the end, the index at which the last level
  /// ends.
  private var levels: [Int] = []

  /// Number of boxes in the first level, which has the boxes of the fences.
  var count: Int { fences.count }

  /// For each box of the first level, its fence. Neighbours in this list are near each other on the ground. A fence
  /// with several boxes occurs several times.
  var order: [Int32] { fences }

  init() {}

  init(_ entries: [Entry]) {
    guard !entries.isEmpty else { return }
    let sorted = Self.packed(entries)
    boxes = sorted.map(\.box)
    fences = sorted.map(\.fence)
    levels = [0, boxes.count]
    while levels[levels.count - 1] - levels[levels.count - 2] > 1 {
      let level = levels[levels.count - 2]..<levels[levels.count - 1]
      for first in stride(from: level.lowerBound, to: level.upperBound, by: Self.width) {
        var around = Box.empty
        for child in first..<min(first + Self.width, level.upperBound) { around.add(boxes[child]) }
        boxes.append(around)
      }
      levels.append(boxes.count)
    }
  }

  /// Divides the boxes into stripes from west to east, and sorts the boxes of each stripe from south to north.
  private static func packed(_ entries: [Entry]) -> [Entry] {
    let leaves = (entries.count + width - 1) / width
    let stripes = max(1, Int(Double(leaves).squareRoot().rounded(.up)))
    let stripe = (leaves + stripes - 1) / stripes * width
    var sorted = entries.sorted { Int64($0.box.west) + Int64($0.box.east) < Int64($1.box.west) + Int64($1.box.east) }
    for first in stride(from: 0, to: sorted.count, by: stripe) {
      sorted[first..<min(first + stripe, sorted.count)].sort {
        Int64($0.box.south) + Int64($0.box.north) < Int64($1.box.south) + Int64($1.box.north)
      }
    }
    return sorted
  }

  /// Finds the boxes of fences that intersect a box of the query, and adds each box and its fence to a list. A fence
  /// with several such boxes is added several times.
  func search(_ query: BoxQuery, into found: inout some BoxList & ~Copyable) {
    guard levels.count > 1 else { return }
    let top = levels.count - 2
    descend(levels[top]..<levels[top + 1], level: top, BoxProbe(query.first), &found)
    if let second = query.second { descend(levels[top]..<levels[top + 1], level: top, BoxProbe(second), &found) }
  }

  private func descend(_ range: Range<Int>, level: Int, _ probe: BoxProbe, _ found: inout some BoxList & ~Copyable) {
    let boxes = self.boxes.span
    for index in range where probe.meets(boxes[index]) {
      if level == 0 {
        found.add(fences[index], boxes[index])
        continue
      }
      let below = levels[level &- 1] &+ (index &- levels[level]) &* Self.width
      descend(below..<min(below &+ Self.width, levels[level]), level: level &- 1, probe, &found)
    }
  }
}

/// A rectangle on the globe as one box, or as two if it crosses the antimeridian.
struct BoxQuery: BitwiseCopyable {
  let first: Box
  let second: Box?

  /// Creates a query from sides in 1e-7°. West and east may lie beyond −180…180°.
  init(west: Int64, south: Int64, east: Int64, north: Int64) {
    let south = Int32(max(south, -Grid.halfTurn / 2))
    let north = Int32(min(north, Grid.halfTurn / 2))
    func box(_ west: Int64, _ east: Int64) -> Box {
      Box(west: Int32(west), south: south, east: Int32(east), north: north)
    }
    if east - west >= Grid.turn {
      first = box(-Grid.halfTurn, Grid.halfTurn)
      second = nil
    } else if west < -Grid.halfTurn {
      first = box(-Grid.halfTurn, east)
      second = box(west + Grid.turn, Grid.halfTurn)
    } else if east > Grid.halfTurn {
      first = box(west, Grid.halfTurn)
      second = box(-Grid.halfTurn, east - Grid.turn)
    } else {
      first = box(west, east)
      second = nil
    }
  }
}

/// A list to which a search adds the fences that it finds.
protocol BoxList: ~Copyable {
  mutating func add(_ fence: Int32, _ box: Box)
}

/// A list of the fences that were found for one fix. Each fence is in the list at most once. The initializer allocates
/// all memory.
struct FenceList: BoxList, Sendable {
  private(set) var fences: [Int32] = []
  /// For each fence, the number of the round in which it was last added. A round is one use of the list, for one fix.
  private var rounds: [UInt32]
  private var round: UInt32 = 0

  init(capacity: Int) {
    fences.reserveCapacity(capacity)
    rounds = [UInt32](repeating: 0, count: capacity)
  }

  /// Empties the list and begins the next round.
  mutating func begin() {
    fences.removeAll(keepingCapacity: true)
    round &+= 1
    // After 2³² rounds, the round numbers begin again. The stored numbers of old rounds could then equal the current
    // number.
    if round == 0 {
      for index in rounds.indices { rounds[index] = 0 }
      round = 1
    }
  }

  @inline(__always)
  mutating func add(_ fence: Int32, _: Box) { add(fence) }

  /// Adds a fence. Returns `false` if the list contains it already.
  @inline(__always)
  @discardableResult
  mutating func add(_ fence: Int32) -> Bool {
    if rounds[Int(fence)] == round { return false }
    rounds[Int(fence)] = round
    fences.append(fence)
    return true
  }
}
