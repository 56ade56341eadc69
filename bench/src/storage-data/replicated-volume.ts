import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { frontendLimits } from '@lateen/block-frontend';
import { type BlockTools, freePorts } from '@lateen/cluster';
import { command } from '@lateen/csi-rig';
import type { Clock } from '@lateen/kernel';
import { nbdUri } from '@lateen/nbd';
import { startReplicaDaemon } from '../storage-nbd/replica-daemon.ts';
import { loopOn } from './device-loads.ts';

const readyMsMax = 30_000;
const exportName = 'replica';

export interface ReplicatedVolume {
  /** The loop device on the file of nbdfuse. */
  readonly device: string;
  /** The processes of the data path, by kind. */
  readonly pids: ReadonlyMap<string, number>;
  /** Ends the replica that is reached over TCP. */
  killOther(): Promise<void>;
}

interface Options {
  tools: BlockTools;
  directory: string;
  sizeBytes: number;
  clock: Clock;
}

/**
 * Two storage daemons, an engine, nbdfuse and a loop device. Disposed in reverse order, so that devices end before the processes that serve
 * them.
 */
export async function startReplicatedVolume(
  { tools, directory, sizeBytes, clock }: Options,
  undo: AsyncDisposableStack,
): Promise<ReplicatedVolume> {
  const [a, b, mountPoint] = ['a', 'b', 'front'].map((name) => join(directory, name)) as [string, string, string];
  for (const path of [a, b, mountPoint]) await mkdir(path);
  const [port = 0] = await freePorts(1);
  const path = join(a, 'nbd.sock');
  const local = undo.use(await startReplicaDaemon(tools, { directory: a, at: { path }, exportName, sizeBytes }, clock));
  const at = { host: '127.0.0.1', port };
  const other = await startReplicaDaemon(tools, { directory: b, at, exportName, sizeBytes }, clock);
  let isDead = false;
  const killOther = async () => {
    if (!isDead) await other[Symbol.asyncDispose]();
    isDead = true;
  };
  undo.defer(killOther);
  const own = join(directory, 'engine.sock');
  const args = [join(import.meta.dirname, 'engine-main.ts'), own, exportName, `${sizeBytes}`, path, `${port}`];
  const engine = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  undo.defer(() => ended(engine, () => engine.stdin.end()));
  await once(engine.stdout, 'data');
  const file = join(mountPoint, 'volume');
  const fuse = spawn(
    tools.nbdfuse,
    ['-C', `${frontendLimits.nbdfuseConnections}`, file, nbdUri({ path: own }, 'volume')],
    { stdio: 'ignore' },
  );
  undo.defer(() => ended(fuse, () => void command('umount', mountPoint)));
  await isThere(file, clock);
  const pids = new Map([
    ['nbdfuse', fuse.pid ?? 0],
    ['the engine', engine.pid ?? 0],
    ['the daemon on the socket', local.pid],
    ['the daemon over TCP', other.pid],
  ]);
  return { device: await loopOn(file, undo), pids, killOther };
}

async function ended(child: ReturnType<typeof spawn>, end: () => void): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  end();
  await exit;
}

async function isThere(path: string, clock: Clock): Promise<void> {
  const endMs = clock.monotonicMs() + readyMsMax;
  while (
    !(await access(path).then(
      () => true,
      () => false,
    ))
  ) {
    if (clock.monotonicMs() > endMs) throw new Error(`${path} is not there after ${readyMsMax / 1_000} s`);
    await clock.sleep(20);
  }
}
