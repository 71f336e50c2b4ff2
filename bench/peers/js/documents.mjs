// Loads documents into LadybugDB, all of them once in every pass, each in one transaction.
// Nodes are node tables with the key that the job says, edges are relations between them.
import { join } from 'node:path';
import { mkdirSync, rmSync } from 'node:fs';
import { require, job, timed, quoted } from './common.mjs';

const lbug = require('@ladybugdb/core');

const types = {
  bigint: 'INT64', text: 'STRING', boolean: 'BOOL', 'double precision': 'DOUBLE', timestamptz: 'TIMESTAMP', integer: 'INT32', date: 'DATE',
};
const define = ({ name, type }) => {
  const plain = types[type.replace(/ (PRIMARY KEY|NOT NULL)$/, '')];
  if (!plain) throw new Error(`no LadybugDB type for ${type}`);
  return `${name} ${plain}`;
};
const create = (t) => (t.from
  ? `CREATE REL TABLE ${t.name}(FROM ${t.from} TO ${t.to}, ${t.columns.slice(2).map(define).join(', ')})`
  : `CREATE NODE TABLE ${t.name}(${t.columns.map(define).join(', ')}, PRIMARY KEY(${t.columns[0].name}))`);

for (let pass = 0; pass < job.passes; pass++) {
  const dir = join(job.dir, String(pass));
  mkdirSync(dir);
  const db = new lbug.Database(join(dir, 'ladybug.db'));
  const conn = new lbug.Connection(db, job.threads);
  for (const t of job.tables) await conn.query(create(t));
  for (const [document, statements] of job.documents.entries()) {
    const sample = await timed(async () => {
      await conn.query('BEGIN TRANSACTION');
      for (const { table, file } of statements) await conn.query(`COPY ${table} FROM ${quoted(file)} (HEADER = true)`);
      await conn.query('COMMIT');
    });
    const rows = statements.reduce((n, s) => n + s.rows, 0);
    process.stdout.write(`${JSON.stringify({ pass, document, ...sample, rows, version: lbug.VERSION })}\n`);
  }
  await conn.close();
  await db.close();
  rmSync(dir, { recursive: true });
}
