// Loads the file of a job several times into a node table of LadybugDB. A node table has
// a key: here it is a counter, so that the same rows can come again.
import { join } from 'node:path';
import { require, job, timed, quoted } from './common.mjs';

const lbug = require('@ladybugdb/core');

if (job.columns.some(({ type }) => type !== 'bigint')) throw new Error('the columns are not all bigint');
const columns = job.columns.map(({ name }) => name);
const db = new lbug.Database(join(job.dir, 'ladybug.db'));
const conn = new lbug.Connection(db, job.threads);
await conn.query(`CREATE NODE TABLE ${job.table}(id SERIAL, ${columns.map((c) => `${c} INT64`).join(', ')}, PRIMARY KEY(id))`);

// count returns the number of rows of the table.
async function count() {
  const result = await conn.query(`MATCH (n:${job.table}) RETURN count(n) AS n`);
  return Number((await result.getAll())[0].n);
}

const samples = [];
let before = 0;
for (let i = 0; i <= job.loads; i++) {
  const sample = await timed(() => conn.query(`COPY ${job.table}(${columns.join(', ')}) FROM ${quoted(job.file)} (HEADER = true)`));
  const now = await count();
  samples.push({ ...sample, rows: now - before, version: lbug.VERSION });
  before = now;
}
await conn.close();
await db.close();
process.stdout.write(JSON.stringify(samples));
