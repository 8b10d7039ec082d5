/// The dialogue of a gateway with adapters: a sequence of commands and of their replies.
struct BenchDialogue {
  private(set) var commands: [UInt8] = []
  private(set) var replies: [UInt8] = []
  /// For each command (without its CR), the index after its last byte in `commands`.
  private(set) var commandEnds: [Int] = []
  /// For each reply, the index after its last byte in `replies`.
  private(set) var replyEnds: [Int] = []

  mutating func reserve(bytes: Int) {
    commands.reserveCapacity(bytes / 2)
    replies.reserveCapacity(bytes)
    commandEnds.reserveCapacity(bytes / 16)
    replyEnds.reserveCapacity(bytes / 16)
  }

  mutating func append(command: String, reply: [UInt8]) {
    commands.append(contentsOf: command.utf8)
    replies.append(contentsOf: reply)
    commandEnds.append(commands.count)
    replyEnds.append(replies.count)
  }
}
