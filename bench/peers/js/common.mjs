// What the scripts of the Node.js peers share.
import { createRequire } from 'node:module';
import { statSync, rmSync } from 'node:fs';

// require loads a package from where docs/BENCHMARKS.md says to install it.
export const require = createRequire(new URL('../node/', import.meta.url));

// job is the load to do, or the tasks, as the program peers describes them.
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

// doTasks answers every query of the job as often as it says, writes every file once, and
// prints the samples. query(task)
// returns the rows of an answer, write(format, path) writes the table to a file.
export async function doTasks(version, query, write) {
  const samples = [];
  for (const { Name: task, Query: text } of job.tasks) {
    for (let run = 0; run < (text ? job.runs : 1); run++) {
      const file = `${job.dir}/out.${task}`;
      let answer;
      try {
        const sample = await timed(() => {
          if (text) answer = query({ task, text });
          else write(task, file);
        });
        if (!text) {
          sample.stored_bytes = statSync(file).size;
        }
        samples.push({ task, version, answer, ...sample });
      } catch (e) {
        samples.push({ task, version, failed: String(e) });
        break;
      } finally {
        rmSync(file, { force: true });
      }
    }
  }
  process.stdout.write(JSON.stringify(samples, (_, v) => (typeof v === 'bigint' ? Number(v) : v)));
}

// quoted returns s as an SQL string.
export const quoted = (s) => `'${s.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
