import { readFile } from 'node:fs/promises';
import { childRunner } from '@lateen/child-process';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { openKopiaSession, type RepositoryTarget, type SessionOptions } from '@lateen/repository';
import { heldSession, openServerSession, spliceFiles } from '@lateen/repository-session';
import { type FileSplice, kopiaUploader, systemBlock, systemPrograms } from '@lateen/uploader';
import { rangesIn, type UploadTask } from './upload-task.ts';

/* Uploads one mounted snapshot as the mover does, without Kubernetes. Argument: a task as JSON. Prints the result as JSON. */

const task = JSON.parse(process.argv[2] ?? '{}') as UploadTask;
const { signal } = new AbortController();
const [clock, random, log] = [systemClock, systemRandom, silentLogger];
const child = { clock, graceMs: 5_000 };
const target = task.target as RepositoryTarget;
const engine: SessionOptions = {
  process: childRunner({ ...child, program: task.kopia }),
  workDirectory: task.workDirectory,
  environment: process.env,
  runtime: task.runtime,
};
const { baseID, changedFile, deviceBytes } = task;
const sessions = heldSession((stop) =>
  openServerSession({ target, engine, clock, random, log, purpose: 'bench' }, stop),
);
const fileSplice: FileSplice = {
  begin: sessions.begin,
  changesOf: async () => {
    if (baseID === undefined || changedFile === undefined)
      return { kind: 'full', reason: 'first backup of the volume' };
    return { kind: 'changes', baseID, changed: rangesIn(await readFile(changedFile, 'utf8'), deviceBytes) };
  },
  spliceFiles: (request) => spliceFiles({ open: sessions.take, clock, random }, request),
};
const session = await openKopiaSession(target, engine);
const uploader = kopiaUploader({
  session,
  clock,
  random,
  log,
  programs: systemPrograms({ ...child, path: process.env.PATH, scratchDirectory: task.workDirectory }),
  block: systemBlock({ ...child, scratchDirectory: task.workDirectory }),
  fileSplice,
  parallelFiles: 2,
  discardMs: 30_000,
  flush: async () => {},
});
const startMs = clock.monotonicMs();
const result = await uploader.upload({
  volumePath: task.volumePath,
  volumeMode: 'Filesystem',
  source: { path: task.sourcePath, tags: {} },
  config: task.config,
  onProgress: () => {},
  signal,
});
await session.close();
process.stdout.write(`${JSON.stringify({ ...result, ms: clock.monotonicMs() - startMs })}\n`);
