import type { FileHandle } from 'node:fs/promises';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import { type Clock, silentLogger, systemRandom } from '@lateen/kernel';
import { fsStore } from '@lateen/object-store-fs';
import {
  engineMemory,
  initialiseRepository,
  openKopiaSession,
  type RepositoryTarget,
  type SessionOptions,
} from '@lateen/repository';
import { type ChangedRange, openServerSession, type ServerSession, spliceSnapshot } from '@lateen/repository-session';

const MiB = 1024 * 1024;
const source = { path: 'snapshot-data-upload-download/kopia/bench/data', tags: { 'snapshot-uploader': 'kopia' } };

interface Options {
  kopia: string;
  directory: string;
  volume: FileHandle;
  volumeBytes: number;
  clock: Clock;
  signal: AbortSignal;
}

export type SpliceBench = Awaited<ReturnType<typeof spliceBench>>;

/** A repository in a directory, and the ways to create the next snapshot of a volume. Memory is that of a pod with 256 MiB. */
export async function spliceBench({ kopia, directory, volume, volumeBytes, clock, signal }: Options) {
  const { run, openSession, peaks } = await repositoryIn({ kopia, directory, clock, signal });
  let lastID = '';
  return {
    lastID: () => lastID,
    peaks: () => peaks,
    takeWhole: async (): Promise<void> => {
      const where = ['--stdin-file=/uid', `--override-source=default@default:${source.path}`];
      const input = volume.createReadStream({ start: 0, end: volumeBytes - 1, autoClose: false, highWaterMark: MiB });
      const printed = await run(['snapshot', 'create', '/uid', ...where, '--json', '--no-progress'], input);
      lastID = (JSON.parse(printed) as { id: string }).id;
    },
    splice: async (baseID: string, changed: ChangedRange[]): Promise<{ openMs: number; readBytes: number }> => {
      let openMs = 0;
      const open = async (stop: AbortSignal): Promise<ServerSession> => {
        const startMs = clock.monotonicMs();
        const session = await openSession(stop);
        openMs = clock.monotonicMs() - startMs;
        return session;
      };
      const layout = { sizeBytes: volumeBytes, chunkBytes: 4 * MiB };
      const read = async (into: Uint8Array, offset: number) => void (await volume.read(into, 0, into.length, offset));
      const request = { source, baseID, changed, fileName: '/uid', read, signal, ...layout };
      const made = await spliceSnapshot({ open, clock, random: systemRandom }, request);
      return { openMs, readBytes: made.readBytes };
    },
    rewriteManifest: async (): Promise<void> => {
      const session = await openSession(signal);
      const { json, labels } = await session.getManifest(lastID, { signal });
      const id = await session.putManifest({ json, labels: { ...labels, ...source.tags } }, { signal });
      await session.deleteManifest(lastID, { signal });
      await session.flush({ signal });
      await session.close();
      lastID = id;
    },
  };
}

async function repositoryIn({ kopia, directory, clock, signal }: Omit<Options, 'volume' | 'volumeBytes'>) {
  const [path, workDirectory] = [join(directory, 'share'), join(directory, 'work')];
  await Promise.all([mkdir(path), mkdir(workDirectory)]);
  let serverPid = 0;
  const onStart = (pid: number) => {
    serverPid = pid;
  };
  const runner = childRunner({ program: kopia, clock, graceMs: 5_000 });
  const engine: SessionOptions = {
    process: { run: (request) => runner.run({ ...request, onStart }) },
    workDirectory,
    environment: process.env,
    runtime: engineMemory(256 * MiB),
  };
  const target: RepositoryTarget = {
    location: { provider: 'fs', name: 'default', bucket: '', prefix: '', readOnly: false, path },
    volumeNamespace: 'bench',
    password: 'bench-password',
    uid: 'BENCH',
    cacheLimitMB: 100,
  };
  await initialiseRepository(target, { store: fsStore({ fspath: path }), session: engine, signal });
  const plain = await openKopiaSession(target, engine);
  const run = async (args: readonly string[], stdin?: AsyncIterable<Uint8Array>): Promise<string> => {
    const exit = await plain.run(args, { signal, ...(stdin === undefined ? {} : { stdin }) });
    if (exit.exitCode !== 0) throw plain.failure(exit, args.join(' '));
    return exit.stdout;
  };
  await run(['policy', 'set', `default@default:${source.path}`, '--splitter=FIXED-4M']);
  const peaks = { serverMB: 0 };
  const openSession = async (stop: AbortSignal): Promise<ServerSession> => {
    const ports = { clock, random: systemRandom, log: silentLogger };
    const session = await openServerSession({ target, engine, ...ports, purpose: 'bench' }, stop);
    const close = async (): Promise<void> => {
      peaks.serverMB = Math.max(peaks.serverMB, await peakMB(serverPid));
      await session.close();
    };
    return { ...session, close };
  };
  return { run, openSession, peaks };
}

/** Maximum resident memory of a process. proc(5), /proc/[pid]/status. */
async function peakMB(pid: number): Promise<number> {
  const [, kB = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kB) * 1024) / 1e6;
}
