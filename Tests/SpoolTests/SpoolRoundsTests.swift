import TestKit
import Testing

@testable import Spool

/// Many rounds of everything that a gateway and its sinks do, with restarts in between. The spool is compared with a
/// simple model.
@Suite struct SpoolRoundsTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  @Test(arguments: 0..<8) func every_record_reaches_every_sink(_ seed: Int) throws {
    let account = Account(SpoolOptions(scratch, sinks: ["a", "b", "c"]), seed)
    for _ in 0..<150 { try account.step() }
    try account.finish()
  }

  /// A spool and its expected state. It is a class because the spool is replaced at a restart.
  private final class Account {
    let options: SpoolOptions
    var spool: Spool
    var random: Reproducible
    var made = 0
    /// The number of committed records, which must be delivered.
    var committed = 0
    var lost: Set<Int> = []
    /// For each sink, the values that it has received.
    var had: [Set<Int>] = [[], [], []]
    /// For each number, the record that was delivered under it.
    var left: [UInt64: String] = [:]

    init(_ options: SpoolOptions, _ seed: Int) {
      self.options = options
      random = Reproducible(seed)
      spool = Spool(options)
    }

    func step() throws {
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1: try make(Int.random(in: 1...40, using: &random))
      case 2: commitAll()
      case 3: spool.requeue(by: Int.random(in: 0..<3, using: &random))
      case 4: if Int.random(in: 0..<3, using: &random) == 0 { try restart() }
      default: deliver(Int.random(in: 0..<3, using: &random))
      }
    }

    private func make(_ count: Int) throws {
      for _ in 0..<count {
        made += 1
        if Int.random(in: 0..<10, using: &random) == 0 {
          try spool.event(made)
        } else {
          try spool.telemetry(made...made)
        }
      }
    }

    private func commitAll() {
      spool.commitAll()
      committed = made
    }

    /// Restarts the spool, as after a power cut or after closing it.
    private func restart() throws {
      if Bool.random(using: &random) {
        spool.close(at: spool.now)
        committed = made
      } else {
        lost.formUnion((committed + 1)..<(made + 1))
        // The file and its lock are closed, and nothing is written.
        spool = Spool(SpoolOptions(folder: "/dev/null/none", sinks: [], newEpoch: options.newEpoch))
      }
      spool = Spool(options)
      try spool.reportLosses()
    }

    private func deliver(_ sink: Int) {
      let seen = spool.nextRecords(sink, records: Int.random(in: 1...30, using: &random))
      for record in seen {
        let before = left.updateValue(record.json, forKey: record.sequence)
        #expect(before == nil || before == record.json)
        if let value = record.value { had[sink].insert(value) }
      }
      let some = seen.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
      spool.acknowledge(some, by: sink)
    }

    func finish() throws {
      commitAll()
      for sink in 0..<3 {
        spool.requeue(by: sink)
        had[sink].formUnion(spool.drain(sink).compactMap(\.value))
        #expect(had[sink].union(lost) == Set(1...made))
        // A large burst is committed in parts. Lost records are some of those that were not acknowledged.
        #expect(had[sink] == had[0])
      }
      spool.commitAll()
      let depth = spool.depth.file
      #expect(depth == 0)
    }
  }
}
