/// A queue for something that all groups share. The next element belongs to the group that was served least, and in
/// it to the
/// member that was served least. The elements of one member stay in order.
///
///     var queue = FairQueue<TenantID, String, IngestJob> { $0.records.count }
///     queue.add(job, group: job.tenant, member: "gw-17")
///     while let next = queue.next() { … }
///
/// A group or member that was absent gets no credit for that time: it starts at the level of the one that is served
/// now.
public struct FairQueue<Group: Hashable & Sendable, Member: Hashable & Sendable, Element> {
  fileprivate struct Line {
    var served: Int
    /// The first one is next.
    var elements: [(number: Int, element: Element)] = []
  }

  fileprivate struct Lines {
    var served: Int
    /// The amount that the last served member had received before.
    var reached = 0
    var members: [Member: Line] = [:]
  }

  private let cost: @Sendable (Element) -> Int
  private var groups: [Group: Lines] = [:]
  /// The amount that the last served group had received before.
  private var reached = 0
  private var last = 0
  /// The number of waiting elements.
  public private(set) var count = 0
  /// Their total cost.
  public private(set) var waitingCost = 0

  /// - Parameter cost: the cost of an element; at least 0.
  public init(cost: @escaping @Sendable (Element) -> Int) { self.cost = cost }

  public var isEmpty: Bool { count == 0 }

  /// Appends an element to the queue of its member.
  public mutating func add(_ element: Element, group: Group, member: Member) {
    last += 1
    count += 1
    waitingCost += cost(element)
    var lines = groups.removeValue(forKey: group) ?? Lines(served: reached)
    var line = lines.members.removeValue(forKey: member) ?? Line(served: lines.reached)
    line.elements.append((last, element))
    lines.members[member] = line
    groups[group] = lines
  }

  /// Removes and returns the next element; `nil` if none waits, or if the next one is not wanted.
  ///
  /// - Parameters:
  ///   - isOpen: whether a group has its turn; other groups are skipped.
  ///   - isWanted: whether the next element may be removed now; if not, it stays the next one.
  public mutating func next(
    in isOpen: (Group) -> Bool = { _ in true }, if isWanted: (Element) -> Bool = { _ in true }
  ) -> Element? {
    let open = groups.filter { isOpen($0.key) }
    guard let group = open.min(by: { Self.isBefore($0.value, $1.value) })?.key, var lines = groups[group],
      let member = lines.members.min(by: { Self.isBefore($0.value, $1.value) })?.key,
      let element = lines.members[member]?.elements.first?.element, isWanted(element)
    else { return nil }
    groups[group] = nil
    (reached, lines.reached) = (lines.served, lines.members[member]?.served ?? 0)
    // An element without cost also counts as served.
    let served = max(cost(element), 1)
    lines.served += served
    lines.members[member]?.served += served
    lines.members[member]?.elements.removeFirst()
    if lines.members[member]?.elements.isEmpty ?? true { lines.members[member] = nil }
    if !lines.members.isEmpty { groups[group] = lines }
    count -= 1
    waitingCost -= cost(element)
    return element
  }

  /// Removes and returns all elements in the order in which they were added.
  public mutating func removeAll() -> [Element] {
    let all = groups.values.flatMap { $0.members.values.flatMap(\.elements) }
    groups = [:]
    (count, waitingCost) = (0, 0)
    return all.sorted { $0.number < $1.number }.map(\.element)
  }

  private static func isBefore(_ left: Line, _ right: Line) -> Bool {
    (left.served, left.elements.first?.number ?? 0) < (right.served, right.elements.first?.number ?? 0)
  }

  private static func isBefore(_ left: Lines, _ right: Lines) -> Bool {
    (left.served, oldest(left)) < (right.served, oldest(right))
  }

  private static func oldest(_ lines: Lines) -> Int {
    lines.members.values.reduce(.max) { min($0, $1.elements.first?.number ?? .max) }
  }
}

extension FairQueue: Sendable where Element: Sendable {}
extension FairQueue.Line: Sendable where Element: Sendable {}
extension FairQueue.Lines: Sendable where Element: Sendable {}
