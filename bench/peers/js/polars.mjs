// Reads the file of a job into a Polars data frame, and does the tasks of the job, if any,
// with it. POLARS_MAX_THREADS is set outside.
import { require, job, timed, doTasks } from './common.mjs';

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

// Types of NDJSON are Polars' own guesses: dates, times and UUIDs stay text.
const readers = {
  csv: () => pl.readCSV(job.file, { schema, numThreads: job.threads }),
  ndjson: () => pl.scanJson(job.file).collectSync(),
  parquet: () => pl.readParquet(job.file),
  arrow: () => pl.scanIPC(job.file, { memoryMap: false }).collectSync(),
};
const writers = {
  csv: (frame, file) => frame.writeCSV(file),
  ndjson: (frame, file) => frame.writeJSON(file, { format: 'lines' }),
  parquet: (frame, file) => frame.writeParquet(file),
  arrow: (frame, file) => frame.writeIPC(file),
};

// sum is of 64 bits, which that of an Int32 column is not.
const sum = (name) => pl.col(name).cast(pl.Int64).sum();
const count = () => pl.len();
const queries = {
  sums: (f) => f.select(count(), sum('c1'), sum('c5').alias('s5')),
  filter: (f) => f.filter(pl.col('c2').lt(33554432).and(pl.col('c6').gtEq(107374182))).select(count()),
  group: (f) => f.groupBy('category').agg(count().alias('n'), sum('quantity')).sort('category').select('category', 'n', 'quantity'),
  like: (f) => f.filter(pl.col('note').str.contains('river', true)).select(count()),
};

let frame;
const sample = await timed(() => { frame = readers[job.format](); });
if (job.tasks) {
  await doTasks(pl.version,
    ({ task }) => queries[task](frame.lazy()).collectSync().rows(),
    (format, file) => writers[format](frame, file));
} else {
  process.stdout.write(JSON.stringify({ ...sample, rows: frame.height, version: pl.version }));
}
