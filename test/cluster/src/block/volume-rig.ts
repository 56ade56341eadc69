import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { BlockServer, BlockTarget } from '@lateen/block-engine';
import {
  type AttachedDevice,
  type BlockFrontend,
  type FrontendRequest,
  nbdfuseFrontend,
  withReserve,
} from '@lateen/block-frontend';
import { childRunner } from '@lateen/child-process';
import { type BlockTools, blockTools } from '@lateen/cluster';
import { ProcessKeeper, realMachine, recordFiles } from '@lateen/instance-host';
import { systemClock as clock, systemRandom as random, silentLogger } from '@lateen/kernel';
import { connectReplica, serveBlocks } from '@lateen/nbd';
import { type QemuImg, qemuImg } from '@lateen/qemu-storage';
import { type ReplicaFailure, type ReplicaSet, startReplicaSet } from '@lateen/replica-set';
import { type Host, hostCommands, nodeFiles } from '@lateen/volume';
import { keptProcesses } from './kept-processes.ts';
import { type ReplicaDaemon, startReplicaDaemon } from './replica-daemon.ts';

const MiB = 1024 * 1024;
export const volumeName = 'pvc-1';
export const volumeBytes = 384 * MiB;
export const reserveBytes = 128 * MiB;

export interface RigReplica extends ReplicaDaemon {
  name: string;
  /** Kills its process at any point of its work. */
  kill(): Promise<void>;
}

/** A whole volume on this machine: replicas, engine, server, front end; without a cluster. */
export interface VolumeRig extends AsyncDisposable {
  tools: BlockTools;
  image: QemuImg;
  directory: string;
  host: Host;
  replicas: readonly RigReplica[];
  set: ReplicaSet;
  frontend: BlockFrontend;
  request: FrontendRequest;
  /** Writes that the engine has acknowledged. */
  acknowledged(): number;
  attach(): Promise<AttachedDevice>;
  /** Simulates a kill of the engine's process: connections are cut, and nothing is answered any more. */
  killEngine(): Promise<void>;
}

export interface VolumeRigOptions {
  replicas: number;
  recordFailure?: (failure: ReplicaFailure, signal: AbortSignal) => Promise<void>;
}

export async function volumeRig(o: VolumeRigOptions): Promise<VolumeRig> {
  await using undo = new AsyncDisposableStack();
  const tools = await blockTools();
  const directory = await mkdtemp(join(tmpdir(), 'lateen-volume-'));
  undo.defer(() => rm(directory, { recursive: true, force: true }));
  const replicas: RigReplica[] = [];
  for (let n = 0; n < o.replicas; n++) replicas.push(undo.use(await startReplica(tools, directory, `replica-${n}`)));
  const links = await Promise.all(
    replicas.map(async ({ name, at, exportName }) => ({
      name,
      link: undo.use(await connectReplica({ at, exportName, clock })),
    })),
  );
  const set = startReplicaSet({
    ...{ volume: volumeName, generation: 1, sizeBytes: BigInt(volumeBytes), replicas: links },
    recordFailure: o.recordFailure ?? (async () => {}),
    ...{ clock, random, log: silentLogger },
  });
  undo.defer(async () => void (await set.stop({ signal: clock.deadline(60_000) })));
  const socketPath = join(directory, 'engine.sock');
  let acknowledged = 0;
  const reserved = withReserve(set.target, BigInt(volumeBytes + reserveBytes));
  const target: BlockTarget = {
    ...reserved,
    write: async (...write) => {
      await reserved.write(...write);
      acknowledged++;
    },
  };
  const server: BlockServer = undo.use(
    await serveBlocks({ path: socketPath }, new Map([['volume', target]]), { clock, log: silentLogger }),
  );
  const host = realHost();
  const frontend = await frontendOf(tools, directory, host);
  const { signal } = new AbortController();
  undo.defer(async () => frontend.stop(volumeName, signal));
  const request = {
    ...{ volume: volumeName, run: 'g1', socketPath, exportName: 'volume' },
    ...{ sizeBytes: volumeBytes, reserveBytes },
  };
  const stack = undo.move();
  return {
    ...{ tools, directory, host, replicas, set, frontend, request },
    image: qemuImg(childRunner({ program: tools.qemuImg, clock, graceMs: 5_000 })),
    acknowledged: () => acknowledged,
    attach: () => frontend.start(request, signal),
    killEngine: async () => server[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: async () => stack.disposeAsync(),
  };
}

async function startReplica(tools: BlockTools, directory: string, name: string): Promise<RigReplica> {
  const own = join(directory, name);
  await mkdir(own);
  const daemon = await startReplicaDaemon({ tools, directory: own, sizeBytes: BigInt(volumeBytes), over: 'unix' });
  const kill = async () => {
    process.kill(Number(await readFile(join(own, 'pid'), 'utf8')), 'SIGKILL');
  };
  return { ...daemon, name, kill };
}

function realHost(): Host {
  return { run: hostCommands({ clock, environment: process.env }), files: nodeFiles, log: silentLogger, clock };
}

/** A front end with its own keeper: a second one acts as another program. */
export async function frontendOf(tools: BlockTools, directory: string, host: Host): Promise<BlockFrontend> {
  const logs = join(directory, 'logs');
  await mkdir(logs, { recursive: true });
  const keeper = await ProcessKeeper.open({
    machine: realMachine({ env: { PATH: `${process.env.PATH}` }, logs }),
    records: recordFiles(join(directory, 'processes')),
    answers: async () => true,
    ...{ clock, log: silentLogger },
  });
  const programs = { nbdfuse: tools.nbdfuse };
  const [fronts, mark] = [join(directory, 'fronts'), basename(directory)];
  return nbdfuseFrontend({ host, processes: keptProcesses(keeper), directory: fronts, mark, programs });
}
