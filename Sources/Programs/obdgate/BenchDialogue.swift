/// The dialogue of a gateway with adapters: commands, each with the bytes of its reply.
struct BenchDialogue {
  private(set) var commands: [UInt8] = []
  private(set) var replies: [UInt8] = []
  /// Index after the last byte of each command (without its CR); `replyEnds` contains the same for each reply.
  private(set) var commandEnds: [Int] = []
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
