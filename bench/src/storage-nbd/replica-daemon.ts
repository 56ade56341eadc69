import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import type { BlockTools } from '@lateen/cluster';
import { type Clock, systemRandom as random } from '@lateen/kernel';
import { qemuImg, startStorageDaemon } from '@lateen/qemu-storage';
import { replicaLimits } from '@lateen/replica-store';

export interface ReplicaDaemon {
  /** A separate, empty folder. */
  directory: string;
  /** Its unix socket. */
  at: { path: string } | { host: string; port: number };
  exportName: string;
  sizeBytes: number;
}

/** Disposing ends it. */
export interface StartedReplica extends AsyncDisposable {
  readonly pid: number;
}

/** A storage daemon with one new image, opened like the head of a replica, and served over NBD. */
export async function startReplicaDaemon(tools: BlockTools, o: ReplicaDaemon, clock: Clock): Promise<StartedReplica> {
  const imagePath = join(o.directory, 'replica.qcow2');
  const image = qemuImg(childRunner({ program: tools.qemuImg, clock, graceMs: 5_000 }));
  await image.create({ path: imagePath, sizeBytes: BigInt(o.sizeBytes) });
  const runner = childRunner({ program: tools.qemuStorageDaemon, clock, graceMs: 5_000 });
  const places = { monitorPath: join(o.directory, 'monitor'), pidPath: join(o.directory, 'pid') };
  const started = await startStorageDaemon({ runner, clock, random, ...places });
  await started.daemon.blockdevAdd({
    ...{ nodeName: 'head', path: imagePath, io: 'direct', backing: null, detectZeroes: true },
    ...replicaLimits.tableCache,
  });
  await started.daemon.nbdServerStart(o.at);
  await started.daemon.blockExportAdd({ type: 'nbd', id: 'e', nodeName: 'head', name: o.exportName, writable: true });
  const pid = Number(await readFile(places.pidPath, 'utf8'));
  return { pid, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() };
}

/** The output of a program; an exit code other than 0 is an error with its error output. */
export async function runTool(program: string, args: readonly string[], clock: Clock): Promise<string> {
  const runner = childRunner({ program, clock, graceMs: 5_000 });
  const exit = await runner.run({ args, env: { PATH: `${process.env.PATH}` } });
  if (exit.exitCode !== 0) throw new Error(`${program} ended with ${exit.exitCode}: ${exit.stderr}`);
  return exit.stdout;
}

/** Requests per second in the JSON output of fio; other messages of fio may precede the JSON. */
export function fioRate(said: string, isRead: boolean): number {
  const job = JSON.parse(said.slice(said.indexOf('{'))).jobs[0];
  return isRead ? job.read.iops : job.write.iops;
}
