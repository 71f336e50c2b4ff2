// Reads the file of a job into a Polars data frame. POLARS_MAX_THREADS is set outside.
import { require, job, timed } from './common.mjs';

const pl = require('nodejs-polars');

const types = {
  bigint: pl.Int64, integer: pl.Int32, text: pl.Utf8, uuid: pl.Utf8, boolean: pl.Bool,
  'numeric(12,2)': pl.Float64, 'double precision': pl.Float64, date: pl.Date, timestamp: pl.Datetime('us'),
};
const schema = {};
for (const { name, type } of job.columns) {
  if (!types[type]) throw new Error(`no Polars type for ${type}`);
  schema[name] = types[type];
}

let frame;
const sample = await timed(() => { frame = pl.readCSV(job.file, { schema, numThreads: job.threads }); });
sample.rows = frame.height;
sample.version = pl.version;
process.stdout.write(JSON.stringify(sample));
