/// A queue that serves groups fairly. The next element belongs to the group whose served elements have the lowest total
/// cost, and to the member with the lowest total cost within this group. The elements of one member stay in order.
///
///     var queue = FairQueue<TenantID, String, IngestJob> { $0.records.count }
///     queue.add(job, group: job.tenant, member: "gw-17")
///     while let next = queue.next() { … }
///
/// A group or member gets no advantage from having no elements for a time. When it adds one again, its total cost
/// starts at the level of the group or member that was served last.
public struct FairQueue<Group: Hashable & Sendable, Member: Hashable & Sendable, Element> {
  fileprivate struct Line {
    var served: Int
    /// Elements, ascending by number. Elements before the index `start` no longer wait. A removed element is `nil`.
    private var elements: [(number: Int, element: Element?)] = []
    private var start = 0

    init(served: Int) { self.served = served }

    var isEmpty: Bool { start == elements.count }
    var first: (number: Int, element: Element)? {
      guard !isEmpty, let element = elements[start].element else { return nil }
      return (elements[start].number, element)
    }
    var all: [(number: Int, element: Element)] {
      elements[start...].compactMap { entry in entry.element.map { (entry.number, $0) } }
    }

    mutating func append(_ element: Element, number: Int) { elements.append((number, element)) }

    mutating func removeFirst() {
      elements[start].element = nil
      skipRemoved()
    }

    /// Finds the element that has the given number by binary search, and removes it. Returns `nil` if the queue does
    /// not contain the element.
    mutating func remove(_ number: Int) -> Element? {
      var (low, high) = (start, elements.count)
      while low < high {
        let middle = (low + high) / 2
        if elements[middle].number < number { low = middle + 1 } else { high = middle }
      }
      guard low < elements.count, elements[low].number == number, let element = elements[low].element else {
        return nil
      }
      elements[low].element = nil
      skipRemoved()
      return element
    }

    /// Advances `start` past removed elements. Releases their memory if they are more than 32 and more than half of
    /// all.
    private mutating func skipRemoved() {
      while start < elements.count, elements[start].element == nil { start += 1 }
      guard start > 32, start * 2 > elements.count else { return }
      elements.removeFirst(start)
      start = 0
    }
  }

  fileprivate struct Lines {
    var served: Int
    /// The value with which ``Line/served`` of a new member starts. Each time that an element is returned, this is set
    /// to the value that its member had before.
    var reached = 0
    var members: [Member: Line] = [:]
  }

  private let cost: @Sendable (Element) -> Int
  private var groups: [Group: Lines] = [:]
  /// The value with which ``Lines/served`` of a new group starts. Each time that an element is returned, this is set to
  /// the value that its group had before.
  private var reached = 0
  private var last = 0
  /// The number of waiting elements.
  public private(set) var count = 0
  /// The total cost of the waiting elements.
  public private(set) var waitingCost = 0

  /// Creates an empty queue.
  ///
  /// - Parameter cost: returns the cost of an element; at least 0.
  public init(cost: @escaping @Sendable (Element) -> Int) { self.cost = cost }

  public var isEmpty: Bool { count == 0 }

  /// Adds an element after the other elements of its member.
  ///
  /// - Returns: the number with which the element can be removed.
  @discardableResult
  public mutating func add(_ element: Element, group: Group, member: Member) -> Int {
    last += 1
    count += 1
    waitingCost += cost(element)
    var lines = groups.removeValue(forKey: group) ?? Lines(served: reached)
    var line = lines.members.removeValue(forKey: member) ?? Line(served: lines.reached)
    line.append(element, number: last)
    lines.members[member] = line
    groups[group] = lines
    return last
  }

  /// Removes a waiting element.
  ///
  /// - Returns: the element; `nil` if it was returned by ``next(in:if:)`` or removed before.
  @discardableResult
  public mutating func remove(_ number: Int, group: Group, member: Member) -> Element? {
    guard let element = groups[group]?.members[member]?.remove(number) else { return nil }
    forgetIfEmpty(group, member)
    count -= 1
    waitingCost -= cost(element)
    return element
  }

  /// Removes and returns the next element; `nil` if none waits, or if `isWanted` returns false for it.
  ///
  /// - Parameters:
  ///   - isOpen: whether a group may be served. Groups for which it returns `false` are skipped.
  ///   - isWanted: whether the next element may be removed now. If not, it remains the next one.
  public mutating func next(
    in isOpen: (Group) -> Bool = { _ in true }, if isWanted: (Element) -> Bool = { _ in true }
  ) -> Element? {
    guard let group = nextGroup(in: isOpen), let member = nextMember(of: group),
      let element = groups[group]?.members[member]?.first?.element, isWanted(element)
    else { return nil }
    reached = groups[group]?.served ?? 0
    let memberServed = groups[group]?.members[member]?.served ?? 0
    groups[group]?.reached = memberServed
    // An element with a cost of 0 counts as 1, so that a member with many of them is limited, too.
    let served = max(cost(element), 1)
    groups[group]?.served += served
    groups[group]?.members[member]?.served += served
    groups[group]?.members[member]?.removeFirst()
    forgetIfEmpty(group, member)
    count -= 1
    waitingCost -= cost(element)
    return element
  }

  /// Removes and returns all elements in the order in which they were added.
  public mutating func removeAll() -> [Element] {
    let all = groups.values.flatMap { $0.members.values.flatMap(\.all) }
    groups = [:]
    (count, waitingCost) = (0, 0)
    return all.sorted { $0.number < $1.number }.map(\.element)
  }

  // These functions must not change `groups`. If `groups` is changed while a copy of its value exists, Swift copies all
  // elements.

  private func nextGroup(in isOpen: (Group) -> Bool) -> Group? {
    var first: (group: Group, lines: Lines)?
    for (group, lines) in groups where isOpen(group) {
      if let first, !Self.isBefore(lines, first.lines) { continue }
      first = (group, lines)
    }
    return first?.group
  }

  private func nextMember(of group: Group) -> Member? {
    groups[group]?.members.min { Self.isBefore($0.value, $1.value) }?.key
  }

  private mutating func forgetIfEmpty(_ group: Group, _ member: Member) {
    if groups[group]?.members[member]?.isEmpty ?? false { groups[group]?.members[member] = nil }
    if groups[group]?.members.isEmpty ?? false { groups[group] = nil }
  }

  private static func isBefore(_ left: Line, _ right: Line) -> Bool {
    (left.served, left.first?.number ?? 0) < (right.served, right.first?.number ?? 0)
  }

  private static func isBefore(_ left: Lines, _ right: Lines) -> Bool {
    (left.served, oldest(left)) < (right.served, oldest(right))
  }

  private static func oldest(_ lines: Lines) -> Int {
    lines.members.values.reduce(.max) { min($0, $1.first?.number ?? .max) }
  }
}

extension FairQueue: Sendable where Element: Sendable {}
extension FairQueue.Line: Sendable where Element: Sendable {}
extension FairQueue.Lines: Sendable where Element: Sendable {}
