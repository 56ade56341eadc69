import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { SeedRange } from './run-seeds.ts';
import { isSubjectName, type SubjectName, subjects } from './subject.ts';
import { emptyTally, joined, type Tally, tally } from './tally.ts';

const usage = `Usage: npm run simulate -- [--storage | --changed-blocks] [--seeds N] [--from S] [--workers W]
       npm run simulate -- [--storage | --changed-blocks] --seed X [--trace]

Runs the loops of all node-agents against the API server in memory, one simulation per seed, and holds the invariants
against each change. Exit code 1 when a seed breaks one: it is printed with the end of its trace and how to replay it.

  --storage         the engine of a replicated volume instead, over replicas and networks that fail
  --changed-blocks  uploads of a block volume that read what has changed; every snapshot is restored and compared

  --seeds N     number of seeds to run (default 10000)
  --from S      first seed (default 1)
  --workers W   number of processes (default: one per CPU)
  --seed X      run only this seed
  --trace       with --seed: print its plan and each event`;

/** Seeds per batch of a worker. */
const batch = 50;

interface Flags {
  subject: SubjectName;
  seeds: number;
  from: number;
  workers: number;
  seed: number | undefined;
  trace: boolean;
}

function readFlags(): Flags {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '10000' },
      from: { type: 'string', default: '1' },
      workers: { type: 'string', default: String(availableParallelism()) },
      seed: { type: 'string' },
      trace: { type: 'boolean', default: false },
      storage: { type: 'boolean', default: false },
      'changed-blocks': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    process.exit(0);
  }
  const { seeds, from, workers, seed } = values;
  return {
    subject: values.storage ? 'storage' : values['changed-blocks'] ? 'changed-blocks' : 'movements',
    seeds: wholeNumber('--seeds', seeds, 1),
    from: wholeNumber('--from', from, 0),
    workers: wholeNumber('--workers', workers, 1),
    seed: seed === undefined ? undefined : wholeNumber('--seed', seed, 0),
    trace: values.trace,
  };
}

function wholeNumber(flag: string, text: string, least: number): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new TypeError(`${flag} "${text}" is not a whole number from ${least} on`);
}

async function one({ subject, trace: isTraced }: Flags, seed: number): Promise<boolean> {
  const { failure, trace, hash, ends } = await subjects[subject](seed, { isTraced });
  if (isTraced) console.log(trace.join('\n'));
  console.log(failure ?? `seed ${seed} holds (trace ${hash}): ${ends.join(', ')}`);
  return failure === undefined;
}

/** Gives batches of seeds to workers until all are done, or enough of them have failed. */
async function many({ subject, seeds, from, workers }: Flags): Promise<Tally> {
  let summary = emptyTally();
  let next = from;
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const worker = fork(import.meta.filename, ['--worker', subject]);
      const hand = () => {
        const left = from + seeds - next;
        if (left <= 0 || summary.failures.length > 0) return worker.disconnect();
        worker.send({ from: next, seeds: Math.min(batch, left) });
        next += batch;
      };
      worker.on('message', (done: Tally) => {
        summary = joined(summary, done);
        hand();
      });
      worker.on('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`a worker ended with exit code ${code}`)),
      );
      hand();
    });
  await Promise.all(Array.from({ length: Math.min(workers, Math.ceil(seeds / batch)) }, work));
  return summary;
}

function work(subject: string | undefined): void {
  if (!isSubjectName(subject)) throw new TypeError(`nothing to simulate: ${subject}`);
  process.on('message', (range: SeedRange) => {
    void tally(subject, range).then((summary) => process.send?.(summary));
  });
}

function report({ seeds, failures, ends, simulatedMs }: Tally): void {
  for (const { text } of failures) console.log(`${text}\n`);
  const hours = (simulatedMs / 3_600_000).toFixed(1);
  console.log(
    `${seeds} seeds, ${hours} h simulated, ${failures.length === 0 ? 'all hold' : `${failures.length} broken`}`,
  );
  for (const [end, count] of Object.entries(ends).sort()) console.log(`  ${end}: ${count}`);
}

if (process.argv[2] === '--worker') {
  work(process.argv[3]);
} else {
  try {
    const flags = readFlags();
    if (flags.seed !== undefined) {
      process.exitCode = (await one(flags, flags.seed)) ? 0 : 1;
    } else {
      const summary = await many(flags);
      report(summary);
      process.exitCode = summary.failures.length === 0 ? 0 : 1;
    }
  } catch (error) {
    console.error(`simulate: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exitCode = 2;
  }
}
