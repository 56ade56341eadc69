import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { StatusLink } from '@lateen/block-engine';
import { childRunner } from '@lateen/child-process';
import { type BlockTools, blockTools } from '@lateen/cluster';
import { systemClock as clock, systemRandom as random, silentLogger } from '@lateen/kernel';
import { connectStatus } from '@lateen/nbd';
import { type QemuImg, qemuImg, type StartedStorageDaemon, startStorageDaemon } from '@lateen/qemu-storage';
import { type QemuBlocksPorts, qemuBlocks, type ReplicaStore, replicaStore } from '@lateen/replica-store';
import { nodeFiles } from '@lateen/volume';

const execute = promisify(execFile);

/** One replica's folder on a real disk, with a real storage daemon that can be killed. */
export interface ReplicaRig extends AsyncDisposable {
  readonly tools: BlockTools;
  readonly images: QemuImg;
  readonly directory: string;
  /** A new store, as after a restart of the instance manager; the daemon keeps running. */
  newStore(): ReplicaStore;
  link(exportName: string): Promise<StatusLink>;
  qemuImg(args: readonly string[]): Promise<void>;
  /** Output of qemu-io for these commands on a file that no process has open. */
  qemuIo(file: string, ...commands: readonly string[]): Promise<string>;
  killDaemon(): Promise<void>;
  startDaemon(): Promise<void>;
}

export async function replicaRig(): Promise<ReplicaRig> {
  const tools = await blockTools();
  const folder = await mkdtemp(join(tmpdir(), 'lateen-replica-'));
  const images = qemuImg(childRunner({ program: tools.qemuImg, clock, graceMs: 5_000 }));
  const runner = childRunner({ program: tools.qemuStorageDaemon, clock, graceMs: 10_000 });
  const at = { path: join(folder, 'nbd') };
  const pidPath = join(folder, 'pid');
  const directory = join(folder, 'replica');
  let present: StartedStorageDaemon | undefined;
  const startDaemon = async () => {
    present = await startStorageDaemon({ runner, clock, random, monitorPath: join(folder, 'monitor'), pidPath });
    await present.daemon.nbdServerStart(at);
  };
  const link = (exportName: string) =>
    connectStatus({ at, exportName, clock, contexts: ['base:allocation', 'qemu:allocation-depth'] });
  const ports: QemuBlocksPorts = {
    directory,
    daemon: () => present?.daemon ?? 'none',
    images,
    files: nodeFiles,
    io: 'direct',
    connect: link,
  };
  await startDaemon();
  return {
    tools,
    images,
    directory,
    link,
    startDaemon,
    newStore: () =>
      replicaStore({
        directory,
        identity: { volume: 'pvc-1', volumeUid: 'uid-1', replica: 'pvc-1-r-1' },
        files: nodeFiles,
        blocks: qemuBlocks(ports),
        clock,
        log: silentLogger,
      }),
    qemuImg: async (args) => void (await execute(tools.qemuImg, args)),
    qemuIo: async (file, ...commands) => {
      const args = ['-f', 'qcow2', ...commands.flatMap((command) => ['-c', command]), file];
      return execute(tools.qemuIo, args).then(
        ({ stdout }) => stdout,
        (error: { stdout?: string }) => String(error.stdout),
      );
    },
    killDaemon: async () => {
      const ended = present?.ended;
      process.kill(Number(await readFile(pidPath, 'utf8')), 'SIGKILL');
      await ended;
      present = undefined;
    },
    [Symbol.asyncDispose]: async () => {
      await present?.[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
