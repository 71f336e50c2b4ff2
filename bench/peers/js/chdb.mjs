// Loads the file of a job into a MergeTree table of ClickHouse in process.
import { require, job, timed, quoted } from './common.mjs';

const { Session } = require('chdb');

const types = {
  bigint: 'Int64', integer: 'Int32', text: 'String', uuid: 'UUID', boolean: 'Bool',
  'numeric(12,2)': 'Decimal(12, 2)', 'double precision': 'Float64', date: 'Date32', timestamp: 'DateTime64(6)',
};
const columns = job.columns.map(({ name, type, nullable }) => {
  if (!types[type]) throw new Error(`no ClickHouse type for ${type}`);
  return `${name} ${nullable ? `Nullable(${types[type]})` : types[type]}`;
}).join(', ');
const synced = job.durable ? ' SETTINGS fsync_after_insert = 1, fsync_part_directory = 1' : '';

const session = new Session(job.dir);
session.query('CREATE DATABASE IF NOT EXISTS bench ENGINE = Atomic');
session.query(`CREATE TABLE bench.${job.table} (${columns}) ENGINE = MergeTree ORDER BY tuple()${synced}`);
const sample = await timed(() => session.query(
  `INSERT INTO bench.${job.table} SELECT * FROM file(${quoted(job.file)}, 'CSVWithNames', ${quoted(columns)}) ` +
  `SETTINGS max_threads = ${job.threads}, max_insert_threads = ${job.threads}`));
sample.rows = Number(session.query(`SELECT count() FROM bench.${job.table}`, 'TabSeparated'));
sample.version = session.query('SELECT version()', 'TabSeparated').trim();
session.close();
process.stdout.write(JSON.stringify(sample));
