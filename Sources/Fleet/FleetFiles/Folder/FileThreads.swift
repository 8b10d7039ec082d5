import Dispatch

/// Threads for reading and writing files. A slow disk delays only these threads.
struct FileThreads: Sendable {
  private let queues: [DispatchQueue]

  init(_ count: Int) {
    queues = (0..<count).map { DispatchQueue(label: "files-\($0)") }
  }

  /// Runs work on one of the threads. Calls with the same key run one after another, in the order of the calls.
  func run<Value: Sendable>(
    _ key: some Hashable, _ work: @escaping @Sendable () throws(FileError) -> Value
  ) async throws(FileError) -> Value {
    let queue = queues[Int(UInt(bitPattern: key.hashValue) % UInt(queues.count))]
    let result: Result<Value, FileError> = await withCheckedContinuation { continuation in
      queue.async {
        do throws(FileError) {
          continuation.resume(returning: .success(try work()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }
}
