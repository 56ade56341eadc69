import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { childRunner } from '@lateen/child-process';
import { ensureParts, silentProgress } from '@lateen/cluster';
import { AppError } from '@lateen/errors';
import { bundle, imageApp } from '@lateen/image';
import type { Clock } from '@lateen/kernel';
import { fsStore } from '@lateen/object-store-fs';
import { engineMemory, initialiseRepository, openKopiaSession, type RepositoryTarget } from '@lateen/repository';
import type { BenchRow } from '../bench-row.ts';
import { measuredGroup } from '../measured-group.ts';
import { median } from '../median.ts';
import { databaseVolume } from './database-volume.ts';
import type { TimedUpload, UploadTask } from './upload-task.ts';

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;
const podBytes = 256 * MiB;
const sourcePath = 'snapshot-data-upload-download/kopia/bench/data';
/** Pages that follow each other. */
const runs = { runPages: 64, name: 'in runs of 64 pages' } as const;
const anywhere = { runPages: 1, name: 'each anywhere' } as const;

/** How large the file is, and how often each pattern is measured. */
export const databaseFiles = {
  'changed-files': { fileBytes: 2 * GiB, size: '2 GiB', rounds: 2, patterns: [runs, anywhere] },
  'changed-files-large': { fileBytes: 8 * GiB, size: '8 GiB', rounds: 1, patterns: [runs] },
} as const;

/** Chunks as long as the runs of the first pattern would be more to keep track of; shorter ones read less of the second. */
const splitter = 'FIXED-128K';

type DatabaseFile = (typeof databaseFiles)[keyof typeof databaseFiles];

interface Options {
  clock: Clock;
  signal: AbortSignal;
  say(text: string): void;
}

interface Figures extends TimedUpload {
  anonymousBytes: number;
}

/**
 * A database file in an xfs volume, of which 1 % of the pages change. The next snapshot is uploaded with its changed blocks, and then
 * read as a whole, by the same program within the limit of a pod of 256 MiB. Repository in a directory.
 */
export async function benchChangedFiles(options: Options, databaseFile: DatabaseFile): Promise<BenchRow[]> {
  const { say, signal, clock } = options;
  const { fileBytes, size, rounds, patterns } = databaseFile;
  const directory = await mkdtemp(join(tmpdir(), 'lateen-bench-files-'));
  const volume = await databaseVolume(directory, fileBytes);
  try {
    const upload = await uploads(directory, volume, { clock, signal });
    say(`changed-files: ${size} are stored`);
    let { snapshotID: baseID } = await upload({ ChangedBlocksInFiles: 'true' });
    const rows: BenchRow[] = [];
    for (const { runPages, name } of patterns) {
      const pairs: [Figures, Figures][] = [];
      for (let round = 0; round < rounds; round++) {
        say(`changed-files: ${name}, round ${round + 1} of ${rounds}`);
        const changedFile = await volume.change(runPages, round + 1);
        await volume.forget();
        const changed = await upload({ ChangedBlocksInFiles: 'true' }, { baseID, changedFile });
        await volume.forget();
        const whole = await upload({ ChangedBlocksInFiles: 'true', ReadUnchangedFiles: 'true' });
        baseID = whole.snapshotID;
        pairs.push([changed, whole]);
      }
      rows.push(...rowsOf({ size, name }, pairs));
    }
    return rows;
  } finally {
    await volume.close();
    await rm(directory, { recursive: true, force: true });
  }
}

type Volume = Awaited<ReturnType<typeof databaseVolume>>;

async function uploads(directory: string, volume: Volume, { clock, signal }: Omit<Options, 'say'>) {
  const { kopia = '' } = await ensureParts(['kopia'], silentProgress);
  const [path, workDirectory] = [join(directory, 'share'), join(directory, 'work')];
  await Promise.all([mkdir(path), mkdir(workDirectory)]);
  const location = { provider: 'fs', name: 'default', bucket: '', prefix: '', readOnly: false, path } as const;
  const target: RepositoryTarget = {
    location,
    volumeNamespace: 'bench',
    password: 'bench-password',
    uid: 'BENCH',
    cacheLimitMB: 100,
  };
  const engine = {
    process: childRunner({ program: kopia, clock, graceMs: 5_000 }),
    workDirectory,
    environment: process.env,
  };
  await initialiseRepository(target, { store: fsStore({ fspath: path }), session: engine, signal });
  const session = await openKopiaSession(target, engine);
  const set = await session.run(['policy', 'set', `default@default:${sourcePath}`, `--splitter=${splitter}`], {
    signal,
  });
  if (set.exitCode !== 0) throw session.failure(set, 'setting the splitter');
  await session.close();
  const program = await bundled(directory);
  const common = { kopia, target, runtime: engineMemory(podBytes), workDirectory, sourcePath };
  return async (config: Record<string, string>, more: Partial<UploadTask> = {}): Promise<Figures> => {
    const task: UploadTask = {
      ...common,
      volumePath: volume.mounted,
      deviceBytes: volume.deviceBytes,
      config,
      ...more,
    };
    const group = await measuredGroup(clock, podBytes);
    const [command, ...args] = group.command(process.execPath, [program, JSON.stringify(task)]);
    const { stdout } = await promisify(execFile)(command, args, { signal, maxBuffer: MiB });
    if ((await group.killed()) > 0) throw new AppError('BENCH_KILLED', 'a process was killed: memory was full');
    const anonymousBytes = group.residentBytesMax();
    await group.remove();
    return { ...(JSON.parse(stdout) as TimedUpload), anonymousBytes };
  };
}

/** The program bundled in one file, like the mover: unbundled sources need twice the memory. */
async function bundled(directory: string): Promise<string> {
  const app = imageApp('data-mover');
  const worker = app.workers?.find(({ name }) => name === 'repository-session');
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const entry = fileURLToPath(new URL('upload-program.ts', import.meta.url));
  const { contents } = await bundle(app, root, { worker, entry });
  const file = join(directory, 'upload.mjs');
  await writeFile(file, contents);
  return file;
}

function rowsOf({ size, name }: { size: string; name: string }, pairs: readonly [Figures, Figures][]): BenchRow[] {
  const of = (take: (changed: Figures, whole: Figures) => number) =>
    median(pairs.map(([changed, whole]) => take(changed, whole)));
  const ratio = of((changed, whole) => whole.ms / changed.ms);
  const memory = Math.max(...pairs.map(([{ anonymousBytes }]) => anonymousBytes)) / MiB;
  const reason = pairs.map(([{ readReport }]) => readReport?.fullReadReason).find((why) => why !== undefined);
  const read = of(({ incrementalBytes }) => incrementalBytes) / MiB;
  return [
    {
      name: `${size} database file, 1 % of pages changed, ${name}: changed blocks`,
      value: of(({ ms }) => ms),
      unit: 'ms',
      note: reason ?? `${read.toFixed(0)} MiB read; chunks ${splitter}`,
    },
    { name: 'the same: read as a whole', value: of((_, { ms }) => ms), unit: 'ms' },
    {
      name: 'the same: read as a whole / changed blocks',
      value: ratio,
      unit: '×',
      target: 'at least 8 ×',
      reached: ratio >= 8,
      note: `median of the ratios of ${pairs.length} pairs; the device is in no cache`,
    },
    {
      name: 'the same: anonymous memory of the program, the server and kopia, at most',
      value: memory,
      unit: 'MiB',
      target: 'at most 256 MiB',
      reached: memory <= 256,
      note: 'within the limit of a pod of 256 MiB, page cache included',
    },
  ];
}
