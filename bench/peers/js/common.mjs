// What the scripts of the Node.js peers share.
import { createRequire } from 'node:module';

// require loads a package from where docs/BENCHMARKS.md says to install it.
export const require = createRequire(new URL('../node/', import.meta.url));

// job is the load to do, as the program peers describes it.
export const job = JSON.parse(process.argv[2] ?? '{}');

// timed runs fn, which may be asynchronous, and returns what it took: the fields of
// a measure.Sample.
export async function timed(fn) {
  const cpu = process.cpuUsage();
  const faults = process.resourceUsage().minorPageFault;
  const begin = process.hrtime.bigint();
  await fn();
  const wall_ns = Number(process.hrtime.bigint() - begin);
  const used = process.cpuUsage(cpu);
  return {
    wall_ns,
    cpu_ns: (used.user + used.system) * 1000,
    minor_faults: process.resourceUsage().minorPageFault - faults,
  };
}

// quoted returns s as an SQL string.
export const quoted = (s) => `'${s.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
