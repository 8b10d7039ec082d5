// Spool and sinks wired as a gateway wires them, from outside, for tests that kill it and for what is measured.
//
//   SinksProbe run FOLDER CONFIG COUNT          appends COUNT records (0: none), an event for each hundred, and hands
//       everything to the sinks of CONFIG, a JSON array; ends once all have all
//   SinksProbe memory CONFIG                    hands each sink of CONFIG ten records; memory before and after, KiB
//   SinksProbe file PATH COUNT                  hands a file sink so many records; how long that took

import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
signal(SIGPIPE, SIG_IGN)
switch arguments.first {
case "run" where arguments.count >= 4:
  var run = ProbeRun(arguments[1], configurations: sinks(arguments[2]), count: Int(arguments[3]) ?? 0)
  run.run()
case "memory" where arguments.count == 2: measureMemory(arguments[1])
case "file" where arguments.count == 3: measureFile(arguments[1], count: Int(arguments[2]) ?? 1)
default:
  printLine("usage: SinksProbe run FOLDER CONFIG COUNT | memory CONFIG | file PATH COUNT")
  exit(64)
}
