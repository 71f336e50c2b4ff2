// Loads a graph into LadybugDB and answers the queries of the workloads in a job file, with
// each number of threads. Prints how long the edges took to load, and samples as bench/graph
// has them.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(new URL('../peers/node/', import.meta.url));
const lbug = require('@ladybugdb/core');
const job = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const quoted = (s) => `'${s.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

const db = new lbug.Database(join(job.dir, 'graph.db'));
const conn = new lbug.Connection(db);
// The number of threads that the constructor takes is ignored.
conn.initSync();
const run = async (text) => (await conn.query(text)).getAll();
conn.setMaxNumThreadForExec(Math.max(...job.threads));
await run(`CREATE NODE TABLE n(id ${job.key}, name STRING, PRIMARY KEY(id))`);
await run('CREATE REL TABLE e(FROM n TO n, w INT32)');
await run(`COPY n FROM ${quoted(job.nodes)}`);
const cpu = process.cpuUsage();
const begin = process.hrtime.bigint();
await run(`COPY e FROM ${quoted(job.edges)}`);
const edges_ns = Number(process.hrtime.bigint() - begin);
const used = process.cpuUsage(cpu);
const edges_cpu_ns = (used.user + used.system) * 1000;
await run(`CALL var_length_extend_max_depth=${job.most}`);

// statements make the text of a query.
const arrow = (w, what) => (w.both ? `-[r:e*${what}]-` : `-[r:e*${what}]->`);
const statements = {
  shortest: (w, q) => `MATCH (a:n {id: ${q.from}})${arrow(w, ` SHORTEST 1..${job.most}`)}(b:n {id: ${q.to}}) RETURN length(r) AS x`,
  within: (w, q) => `MATCH (a:n {id: ${q.from}})${arrow(w, ` SHORTEST 1..${job.within}`)}(b:n {name: ${quoted(q.name)}}) WHERE b.id <> ${q.from} RETURN count(*) AS x`,
  all: (w, q) => `MATCH (a:n {id: ${q.from}})${arrow(w, ` ALL SHORTEST 1..${job.most}`)}(b:n {id: ${q.to}}) ` +
    'RETURN list_sum(list_transform(rels(r), x -> x.w)) AS x',
};

// answer runs the queries of a workload and returns the sum of the answers.
async function answer(w) {
  let sum = 0;
  for (const q of w.queries) {
    if (q.from === q.to && w.kind !== 'within') { // a path of no edges, which the statement leaves out
      sum += w.kind === 'all' ? 1 : 0;
      continue;
    }
    const rows = await run(statements[w.kind](w, q));
    sum += w.kind === 'all' ? rows.length : rows.reduce((s, row) => s + Number(row.x), 0);
  }
  return sum;
}

const samples = [];
for (let round = 1; round <= job.rounds; round++) {
  for (const w of job.workloads) {
    for (const threads of job.threads) {
      conn.setMaxNumThreadForExec(threads);
      const begin = process.hrtime.bigint();
      const sum = await answer(w);
      const wall = Number(process.hrtime.bigint() - begin);
      samples.push({ workload: w.name, threads, round, version: lbug.VERSION, queries: w.queries.length, answer: sum, wall_ns: Math.round(wall / w.queries.length) });
    }
  }
}
await conn.close();
await db.close();
process.stdout.write(JSON.stringify({ version: lbug.VERSION, edges_ns, edges_cpu_ns, samples }));
