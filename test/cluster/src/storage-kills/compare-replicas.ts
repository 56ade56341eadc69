import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '@lateen/api-types';
import type { Replica } from '@lateen/storage-types';
import { execa } from 'execa';
import { podProcesses } from '../kills/pod-processes.ts';

/**
 * Reads all replicas of a detached volume from their files, each through all its layers, and compares each with the first.
 * @returns the differences by replica name @throws when one cannot be read
 */
export async function compareReplicas(
  qemuImg: string,
  replicas: readonly Replica[],
  instanceManagers: readonly Pod[],
): Promise<string[]> {
  const heads = await Promise.all(replicas.map((replica) => headOf(replica, instanceManagers)));
  const [first = '', ...others] = heads;
  const differ: string[] = [];
  for (const [at, other] of others.entries()) {
    const args = ['compare', '-f', 'qcow2', '-F', 'qcow2', first, other];
    const { exitCode, stdout, stderr } = await execa(qemuImg, args, { reject: false });
    if (exitCode === 1) differ.push(`${replicas[at + 1]?.metadata.name}: ${stdout.trim()}`);
    else if (exitCode !== 0) throw new Error(`${replicas[at + 1]?.metadata.name} cannot be compared: ${stderr.trim()}`);
  }
  return differ;
}

/** File of the replica's newest layer, seen from this host. */
async function headOf({ metadata, spec }: Replica, instanceManagers: readonly Pod[]): Promise<string> {
  const pod = instanceManagers.find((each) => each.spec.nodeName === spec.nodeID);
  const [anyProcess] = (await podProcesses(pod?.metadata.uid ?? 'none')).filter(({ command }) =>
    / keep( |$)/.test(command),
  );
  if (anyProcess === undefined) throw new Error(`the instance manager of ${spec.nodeID} does not run`);
  const { diskPath = '', dataDirectoryName = '' } = spec;
  const folder = join(`/proc/${anyProcess.pid}/root/host`, diskPath, 'replicas', dataDirectoryName);
  const { head, layers } = JSON.parse(await readFile(join(folder, 'replica.json'), 'utf8'));
  const layer = (layers as { id: number; file: string }[]).find(({ id }) => id === head);
  if (layer === undefined) throw new Error(`the record of replica ${metadata.name} has no head`);
  return join(folder, layer.file);
}
