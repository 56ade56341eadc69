import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import { ensureParts, silentProgress } from '@lateen/cluster';
import { systemClock, systemRandom } from '@lateen/kernel';
import { fsStore } from '@lateen/object-store-fs';
import { initialiseRepository, openKopiaSession, type RepositoryTarget } from '@lateen/repository';
import { openServerSession, type ServerSession } from '@lateen/repository-session';
import { recordingLog } from '@lateen/testing';

const never = new AbortController().signal;
export const rigPassword = 'test-password-9f3a';

/** A repository in a directory, used through our sessions and through the plain program. `path` is the directory of its blobs. */
export async function sessionRig(path?: string) {
  const directory = await mkdtemp(join(tmpdir(), 'lateen-session-'));
  const share = path ?? join(directory, 'share');
  await mkdir(share, { recursive: true });
  const { kopia: program = '' } = await ensureParts(['kopia'], silentProgress);
  const workDirectory = join(directory, 'work');
  await mkdir(workDirectory);
  const pids: number[] = [];
  const runner = childRunner({ program, clock: systemClock, graceMs: 10_000 });
  const seen: string[] = [];
  const counted: typeof runner = {
    run: (request) => {
      seen.push(request.args.join(' '));
      return runner.run({ ...request, onStart: (pid) => pids.push(pid) });
    },
  };
  const target = (password = rigPassword): RepositoryTarget => ({
    location: { provider: 'fs', name: 'default', bucket: '', prefix: '', readOnly: false, path: share },
    volumeNamespace: 'shop',
    password,
    uid: 'ABCDEF01-uid',
    cacheLimitMB: 100,
  });
  const engine = { process: counted, workDirectory, environment: process.env };
  const log = recordingLog();
  await initialiseRepository(target(), { store: fsStore({ fspath: share }), session: engine, signal: never });
  return {
    directory,
    share,
    blobs: join(share, 'kopia', 'shop'),
    program,
    workDirectory,
    log,
    /** Arguments of every run of kopia. */
    seen,
    target,
    engine,
    /** Processes of kopia in the order of their start. */
    pids,
    open: (password = rigPassword, signal = never): Promise<ServerSession> =>
      openServerSession(
        { target: target(password), engine, clock: systemClock, random: systemRandom, log, purpose: 'test' },
        signal,
      ),
    /** One run of the program with the options of our clients; has to succeed. Returns its standard output. */
    kopia: async (
      args: readonly string[],
      password = rigPassword,
      stdin?: AsyncIterable<Uint8Array>,
    ): Promise<string> => {
      const session = await openKopiaSession(target(password), engine);
      try {
        const exit = await session.run(args, { signal: never, ...(stdin === undefined ? {} : { stdin }) });
        if (exit.exitCode !== 0) throw session.failure(exit, args.join(' '));
        return exit.stdout;
      } finally {
        await session.close();
      }
    },
    /** Remaining files of sessions. */
    leftovers: async (): Promise<string[]> => {
      const all = await readdir(workDirectory, { recursive: true, withFileTypes: true });
      return all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

export type SessionRig = Awaited<ReturnType<typeof sessionRig>>;

/** Whether one of our processes exists, except a zombie. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
