import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import { AppError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import { openKopiaSession, type RepositoryTarget, type SessionOptions } from '@lateen/repository';
import { openLoopbackStore } from '../loopback-store.ts';
import type { Way, WayContext } from '../way.ts';
import { downloadPacks } from './ceilings.ts';
import { runMeasured } from './run-measured.ts';

const trees: Way['runs'] = ({ mode }) => mode === 'Filesystem';

/** kopia's command line as users run it. */
export const kopiaFromStore: Way = {
  name: 'kopia',
  title: 'kopia restore --parallel=8 from the store',
  distant: true,
  runs: trees,
  run: (context) => kopiaRestore(context, context.made.target(context.store.endpoint)),
};

/** Copies the packs to a scratch volume, where kopia opens them as a repository in a directory. */
export const kopiaFromCopy: Way = {
  name: 'copy',
  title: 'packs copied, then kopia restore --parallel=8 from the copy',
  distant: true,
  runs: trees,
  run: async (context) => {
    const { made, store, scratch } = context;
    const repository = join(scratch, 'kopia', 'bench');
    await mkdir(repository, { recursive: true });
    await downloadPacks(context, repository);
    const target = made.target(store.endpoint);
    return await kopiaRestore(context, {
      ...target,
      location: { provider: 'fs', name: 'copy', bucket: '', prefix: '', readOnly: false, path: scratch },
    });
  },
};

/** kopia uses a server on loopback that fetches whole packs. */
export const kopiaFromLoopback: Way = {
  name: 'loopback',
  title: 'kopia restore --parallel=8 from a server on the loopback that has whole packs',
  distant: true,
  runs: trees,
  run: async (context) => {
    await using loopback = await openLoopbackStore(context);
    return await kopiaRestore(context, context.made.target(loopback.endpoint));
  },
};

async function kopiaRestore(context: WayContext, target: RepositoryTarget): Promise<undefined> {
  const { made, group, volume, signal, scratch } = context;
  const [program, ...before] = group.command(made.server.kopia, []);
  const runner = childRunner({ program, clock: systemClock, graceMs: 2_000 });
  const process: SessionOptions['process'] = { run: (run) => runner.run({ ...run, args: [...before, ...run.args] }) };
  const session = await openKopiaSession(target, {
    ...made.session(process),
    workDirectory: join(scratch, 'work'),
    secretsDirectory: join(scratch, 'memory'),
  });
  try {
    const args = ['restore', made.snapshotID, volume, '--mode=local', '--parallel=8'];
    const exit = await session.run(args, { signal });
    if (exit.exitCode !== 0) throw new AppError('ENGINE_FAILED', exit.stderr);
  } finally {
    await session.close();
  }
  await runMeasured(context, 'sync', ['--file-system', volume]);
}
