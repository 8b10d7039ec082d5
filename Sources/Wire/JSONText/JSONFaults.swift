/// All faults that were found in a document, at least one.
public struct JSONFaults: Error, Equatable, Sendable {
  /// The faults, in the order of the text.
  public let all: [JSONError]

  /// Creates an error from the faults of a document, at least one.
  public init(all: [JSONError]) { self.all = all }
}

extension [JSONError] {
  /// Returns a text line for each fault, with the file name. If ``mostFaults`` was reached, a last line states that
  /// only these faults are shown.
  public func messages(in file: String) -> [String] {
    map { $0.message(in: file) }
      + (count < JSONDocument.mostFaults ? [] : ["\(file): only the first \(count) faults are shown"])
  }
}

extension JSONDocument {
  /// The maximum number of faults that ``JSONDocument/readReportingAllFaults(_:)`` reports.
  public static let mostFaults = 32

  /// Reads the document and reports all its faults, although each call of `read` ends at its first fault.
  ///
  /// After a fault, the faulty value is left out: it is treated as if it were absent. The document is then read again,
  /// until no further fault is found.
  ///
  /// If a value in an array or object was left out, a later fault of this array or object may be only a consequence of
  /// the missing value, and is not reported. A required key, for example, is not reported as missing if its value was
  /// left out. A reader that checks a rule about two keys must call ``JSONValue/leavesOut(_:)`` to find whether one of
  /// them was left out.
  ///
  /// - Parameter read: reads the root and throws the first fault. It is called again after each fault, so it must have
  ///   no other effects.
  /// - Throws: ``JSONFaults`` with at most ``mostFaults`` faults.
  public func readReportingAllFaults<Value>(
    _ read: (JSONValue) throws(JSONError) -> Value
  ) throws(JSONFaults) -> Value {
    var document = self
    var faults: [JSONError] = []
    while true {
      do throws(JSONError) {
        let value = try read(document.root)
        if faults.isEmpty { return value }
        break
      } catch {
        let node = document.nodes.firstIndex { Int($0.offset) == error.offset } ?? 0
        if !document.mayFollow(error, at: node) { faults.append(error) }
        guard document.leaveOut(node), faults.count < Self.mostFaults else { break }
      }
    }
    throw JSONFaults(all: faults.sorted { $0.offset < $1.offset })
  }

  /// Whether an error of a value may be only a consequence of an earlier error, because a child of the value was left
  /// out.
  private func mayFollow(_ error: JSONError, at node: Int) -> Bool {
    if case .missingKey(let key) = error.kind { return JSONValue(document: self, index: node).leavesOut(key) }
    return nodes[node..<end(of: node)].contains(where: \.isLeftOut)
  }

  /// Marks a node as left out. If it is marked already, marks the innermost array or object around it that is not
  /// marked yet.
  ///
  /// - Returns: `false` if the root was marked, so that nothing of the document remains.
  private mutating func leaveOut(_ node: Int) -> Bool {
    var node = node
    while nodes[node].isLeftOut, node > 0 { node = container(of: node) }
    nodes[node].isLeftOut = true
    return node > 0
  }

  private func container(of node: Int) -> Int {
    nodes[..<node].indices.last { nodes[$0].isContainer && node < Int(nodes[$0].extent) } ?? 0
  }
}

extension JSONValue {
  /// Whether any part of an array or object was left out because it is faulty
  /// (``JSONDocument/readReportingAllFaults(_:)``).
  public var isIncomplete: Bool { document.nodes[index..<document.end(of: index)].contains(where: \.isLeftOut) }

  /// Whether an object has a key whose value was left out because it is faulty
  /// (``JSONDocument/readReportingAllFaults(_:)``).
  public func leavesOut(_ key: String) -> Bool {
    node.kind == .object
      && document.children(of: index).contains { child in
        (document.nodes[child].isLeftOut || document.nodes[child + 1].isLeftOut) && document.member(child).hasKey(key)
      }
  }
}
