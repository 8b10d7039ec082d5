import CCurl
import Glibc
import Ports
import Sinks
import Spool
import Telemetry

/// Prints the memory before anything is opened, and after each sink has delivered ten records.
func measureMemory(_ file: String) {
  let all = sinks(file)
  printLine("before \(residentMemory()) KiB")
  for line in SinkLibraries.open(for: all) { printLine(line) }
  let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
  for configuration in all {
    var run = ProbeRun("\(folder)/spool-\(configuration.name)", configurations: [configuration], count: 10)
    run.run()
    printLine("\(configuration.name) at work \(residentMemory()) KiB")
    // Do the same as a sink that has nothing to do for a while.
    ccurl_give_back_pages()
    printLine("\(configuration.name) \(residentMemory()) KiB")
  }
}

/// Passes records to a file sink as fast as possible, in batches of the maximum size.
func measureFile(_ path: String, count: Int) {
  var maker = Maker()
  let records = FileSink.limit.records / 2
  var sink = FileSink(FileSinkConfiguration(path: path))
  do {
    let wakeUp = try SinkWakeUp()
    let options = SpoolOptions(folder: path + ".spool", sinks: ["a"]) { UUIDv7(milliseconds: 1, first: 1, rest: 1) }
    var spool = Spool(options, bootId: "boot", at: 0)
    var batch = RecordBatch()
    for number in 1...records { try spool.append(maker.telemetry(number, at: 0).span, at: 0) }
    spool.advance(to: 0)
    spool.advance(to: options.commitInterval)
    spool.nextBatch(for: 0, limit: FileSink.limit, at: 0, into: &batch)
    let started = BootClock.now
    var done = 0
    while done < count {
      done += sink.deliver(batch, wakeUp).acknowledged.reduce(0) { $0 + $1.count }
    }
    let seconds = Double(BootClock.now - started) / 1e9
    printLine("\(done) records of \(batch.bytes.count / batch.records.count) bytes in \(seconds) s")
  } catch {
    printLine("\(error)")
  }
}
