import { readFileSync } from 'node:fs';
import { type Namespace, persistentVolumeClaimType } from '@lateen/api-types';
import { type BackupItemAction, builtInActions } from '@lateen/item-actions';
import { systemClock } from '@lateen/kernel';
import { generatedCluster, generatedObjects, generatedTypes } from './generated-cluster.ts';
import { runEngine } from './run-engine.ts';

/*
 * For the benchmark of the collection engine: one backup of 300,000 objects and 2,000 claims that an API server in memory generates. Prints
 * one line of JSON: objects, seconds, time per object in the last tenth compared with the first, and memory in MB.
 */

const memoryMb = (field: 'VmRSS' | 'VmHWM'): number => {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return (Number(kilobytes ?? 0) * 1024) / 1e6;
};

/** Time and memory when the given share of all objects had been requested. */
const marks = new Map<number, { ms: number; cpuMs: number; rssMb: number }>();
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
const kube = generatedCluster((served) => {
  const tenth = Math.floor((served * 10) / generatedObjects);
  if (marks.has(tenth)) return;
  marks.set(tenth, {
    ms: systemClock.monotonicMs(),
    cpuMs: cpuMs(),
    rssMb: memoryMb('VmRSS'),
  });
});

const snapshot: BackupItemAction = {
  name: 'velero.io/csi-pvc-backupper',
  appliesTo: { includedResources: [persistentVolumeClaimType.resource] },
  execute: async (item, { noteVolume }) => {
    const { namespace = '', name = '' } = item.metadata;
    noteVolume({ namespace, name }, { method: 'CSISnapshot', dataMoved: true, driver: 'd', operationId: `du-${name}` });
    return { item, operationId: `du-${name}` };
  },
};
const { block } = builtInActions({ csi: false });
const namespaces: Namespace[] = Array.from({ length: 1_000 }, (_, at) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: `ns-${String(at).padStart(4, '0')}` },
  status: { phase: 'Active' },
}));

const startedMs = systemClock.monotonicMs();
const { outcome, seconds, archiveBytes } = await runEngine(
  kube,
  generatedTypes,
  namespaces,
  {},
  { backup: [snapshot], block },
);
const at = (tenth: number) => marks.get(tenth) ?? { ms: startedMs, cpuMs: 0, rssMb: 0 };
console.log(
  JSON.stringify({
    objects: outcome.itemsBackedUp,
    volumes: outcome.volumes.length,
    seconds,
    archiveMb: archiveBytes / 1e6,
    // CPU time, so that other processes on the machine do not count.
    lastToFirst: (at(10).cpuMs - at(9).cpuMs) / (at(2).cpuMs - at(1).cpuMs),
    rssAtFifthMb: at(2).rssMb,
    rssAtEndMb: memoryMb('VmRSS'),
    rssMostMb: memoryMb('VmHWM'),
    marks: [...marks].map(([tenth, mark]) => [tenth, Math.round(mark.cpuMs), Math.round(mark.rssMb)]),
    memory: process.memoryUsage(),
  }),
);
