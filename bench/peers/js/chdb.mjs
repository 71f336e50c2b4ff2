// Loads the file of a job into a MergeTree table of ClickHouse in process, or does tasks with
// the table that a load has left.
import { require, job, timed, doTasks, quoted } from './common.mjs';

const { Session } = require('chdb');

const types = {
  bigint: 'Int64', integer: 'Int32', text: 'String', uuid: 'UUID', boolean: 'Bool',
  'numeric(12,2)': 'Decimal(12, 2)', 'double precision': 'Float64', date: 'Date32', timestamp: 'DateTime64(6)',
};
const formats = { csv: 'CSVWithNames', ndjson: 'JSONEachRow', parquet: 'Parquet', arrow: 'Arrow' };
const columns = job.columns.map(({ name, type, nullable }) => {
  if (!types[type]) throw new Error(`no ClickHouse type for ${type}`);
  return `${name} ${nullable ? `Nullable(${types[type]})` : types[type]}`;
}).join(', ');
const table = `bench.${job.table}`;
const settings = `SETTINGS max_threads = ${job.threads}, max_insert_threads = ${job.threads}`;

const session = new Session(job.dir);
const version = session.query('SELECT version()', 'TabSeparated').trim();
if (job.tasks) {
  session.query('USE bench');
  await doTasks(version,
    ({ text }) => session.query(`${text} ${settings}`, 'JSONCompactEachRow').trim().split('\n').map((line) => JSON.parse(line)),
    (format, file) => session.query(`INSERT INTO FUNCTION file(${quoted(file)}, '${formats[format]}') SELECT * FROM ${table} ${settings}`));
} else {
  const synced = job.durable ? ' SETTINGS fsync_after_insert = 1, fsync_part_directory = 1' : '';
  session.query('CREATE DATABASE IF NOT EXISTS bench ENGINE = Atomic');
  session.query(`CREATE TABLE ${table} (${columns}) ENGINE = MergeTree ORDER BY tuple()${synced}`);
  const sample = await timed(() => session.query(
    `INSERT INTO ${table} SELECT * FROM file(${quoted(job.file)}, '${formats[job.format]}', ${quoted(columns)}) ${settings}`));
  sample.rows = Number(session.query(`SELECT count() FROM ${table}`, 'TabSeparated'));
  process.stdout.write(JSON.stringify({ ...sample, version }));
}
session.close();
