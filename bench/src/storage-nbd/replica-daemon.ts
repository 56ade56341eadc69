import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import type { BlockTools } from '@lateen/cluster';
import { type Clock, systemRandom as random } from '@lateen/kernel';
import { qemuImg, startStorageDaemon } from '@lateen/qemu-storage';
import { replicaLimits } from '@lateen/replica-store';

export interface ReplicaDaemon {
  /** An empty folder of its own. */
  directory: string;
  /** Where it serves. */
  at: { path: string } | { host: string; port: number };
  exportName: string;
  sizeBytes: number;
}

/** Disposing ends it. */
export interface StartedReplica extends AsyncDisposable {
  readonly pid: number;
}

/** A storage daemon with one new image, opened as the head of a replica is, and served over NBD. */
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

/** What a program has written; its end with another code than 0 is an error with what it has said. */
export async function runTool(program: string, args: readonly string[], clock: Clock): Promise<string> {
  const runner = childRunner({ program, clock, graceMs: 5_000 });
  const exit = await runner.run({ args, env: { PATH: `${process.env.PATH}` } });
  if (exit.exitCode !== 0) throw new Error(`${program} ended with ${exit.exitCode}: ${exit.stderr}`);
  return exit.stdout;
}

/** Requests in a second of what fio says as JSON; the tool's notes may come before it. */
export function fioRate(said: string, isRead: boolean): number {
  const job = JSON.parse(said.slice(said.indexOf('{'))).jobs[0];
  return isRead ? job.read.iops : job.write.iops;
}
