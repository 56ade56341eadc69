import { dataDownloadType, dataUploadType, type KubeObject } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { deleteIfThere, type KubeApi, readObject } from '@lateen/kube';
import type { ObjectStore } from '@lateen/object-store';
import { storedBytes } from './bucket.ts';
import { dropRepositories, repositoryPrefix } from './cluster/drop-repositories.ts';
import { findLeftovers } from './cluster/expect-nothing-left.ts';
import { takeInventory } from './cluster/find-leftovers.ts';
import { recordMovement } from './cluster/record-movement.ts';
import { createWorkload, deleteNamespace, pvcName, waitForPod } from './cluster/workload.ts';
import { changeFiles, fillVolume, readTree } from './content/fill-volume.ts';
import type { SourceFolder } from './content/source-folder.ts';
import type { LateenCli } from './lateen-cli.ts';
import type { PodShell } from './pod-shell.ts';
import type { MovementRecord } from './report/movement-record.ts';
import { type AspectResult, compareTrees } from './tree/compare-trees.ts';

export interface JourneyPorts {
  kube: KubeApi;
  clock: Clock;
  lateen: LateenCli;
  shell(namespace: string): PodShell;
  /** Absent on a cluster whose bucket the demo cannot reach. */
  bucket?: ObjectStore | undefined;
  say(text: string): void;
}

export interface JourneyOptions {
  veleroNamespace: string;
  namespace: string;
  restoredNamespace: string;
  image: string;
  storageClass: string;
  volumeSize: string;
  source: SourceFolder;
  /** One file of random data, which can be neither compressed nor deduplicated. */
  bigFileBytes: number;
}

export interface JourneyResult {
  entries: number;
  changedFiles: number;
  records: readonly MovementRecord[];
  comparison: readonly AspectResult[];
  /** What the three movements and the two namespaces have left in the cluster; empty when nothing leaked. */
  leftovers: readonly string[];
}

/** The journey of one volume: filled, uploaded, changed, uploaded again, deleted, restored, compared, cleaned up. */
export async function runJourney(
  options: JourneyOptions,
  ports: JourneyPorts,
  signal: AbortSignal,
): Promise<JourneyResult> {
  const { kube, clock, say } = ports;
  const before = await takeInventory(kube, options.veleroNamespace, signal);

  say(
    `Namespace ${options.namespace}: a pod with a volume of ${options.volumeSize}, filled from ${options.source.path}`,
  );
  await createWorkload(kube, { ...options, withPvc: true }, signal);
  await waitForPod(kube, options.namespace, clock, signal);
  const shell = ports.shell(options.namespace);
  await fillVolume(shell, options.source, options.bigFileBytes);

  say('First upload');
  const first = await upload('first upload', `${options.namespace}-1`, options, ports, signal);
  say('Changing 1 % of the files');
  const changedFiles = await changeFiles(shell);
  const source = await readTree(shell);
  say(`Second upload: ${changedFiles} files have changed`);
  const second = await upload('second upload', `${options.namespace}-2`, options, ports, signal);

  say(`Deleting namespace ${options.namespace} and restoring into ${options.restoredNamespace}`);
  await deleteNamespace(kube, options.namespace, clock, signal);
  await createWorkload(kube, { ...options, namespace: options.restoredNamespace, withPvc: false }, signal);
  const download = await restore(options, ports, signal);
  await waitForPod(kube, options.restoredNamespace, clock, signal);

  say('Comparing the restored tree with the source');
  const restored = await readTree(ports.shell(options.restoredNamespace));
  await cleanUp(options, ports, signal);
  const left = await findLeftovers(before, { kube, clock, veleroNamespace: options.veleroNamespace }, signal);
  return {
    entries: source.length,
    changedFiles,
    records: [first, second, download],
    comparison: compareTrees(source, restored),
    leftovers: left,
  };
}

async function upload(
  title: string,
  name: string,
  options: JourneyOptions,
  { kube, clock, lateen, bucket }: JourneyPorts,
  signal: AbortSignal,
): Promise<MovementRecord> {
  const watched = new AbortController();
  const key = { namespace: options.veleroNamespace, name };
  const recording = recordMovement(
    title,
    { kube, clock, type: dataUploadType, key },
    AbortSignal.any([signal, watched.signal]),
  );
  const record = await withRecording(recording, watched, () =>
    lateen(['volume', 'upload', `${options.namespace}/${pvcName}`, '--name', name]),
  );
  const stored =
    bucket === undefined ? undefined : await storedBytes(bucket, repositoryPrefix(options.namespace), signal);
  return { ...record, storedBytes: stored };
}

async function restore(
  options: JourneyOptions,
  { kube, clock, lateen }: JourneyPorts,
  signal: AbortSignal,
): Promise<MovementRecord> {
  const name = `${options.restoredNamespace}-1`;
  const watched = new AbortController();
  const key = { namespace: options.veleroNamespace, name };
  const recording = recordMovement(
    'restore',
    { kube, clock, type: dataDownloadType, key },
    AbortSignal.any([signal, watched.signal]),
  );
  const target = `${options.restoredNamespace}/${pvcName}`;
  const from = [
    '--from',
    `${options.namespace}-2`,
    '--size',
    options.volumeSize,
    '--storage-class',
    options.storageClass,
  ];
  return await withRecording(recording, watched, () => lateen(['volume', 'download', target, '--name', name, ...from]));
}

/** Runs the command while its movement is recorded; when the command fails, the recording ends. */
export async function withRecording(
  recording: Promise<MovementRecord>,
  watched: AbortController,
  command: () => Promise<void>,
): Promise<MovementRecord> {
  // Awaited below; until then a rejection must not count as unhandled.
  recording.catch(() => {});
  try {
    await command();
  } catch (error) {
    watched.abort(error);
    throw error;
  }
  return await recording;
}

/** Deletes what the demo itself has created: namespaces, custom resources, and the repository of its own namespace. */
export async function cleanUp(
  options: JourneyOptions,
  { kube, clock, bucket }: JourneyPorts,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all([
    deleteNamespace(kube, options.namespace, clock, signal),
    deleteNamespace(kube, options.restoredNamespace, clock, signal),
  ]);
  const { veleroNamespace: namespace } = options;
  const own = [
    ...[1, 2].map((n) => ({ type: dataUploadType, key: { namespace, name: `${options.namespace}-${n}` } })),
    { type: dataDownloadType, key: { namespace, name: `${options.restoredNamespace}-1` } },
  ];
  for (const { type, key } of own) {
    const there = await readObject<KubeObject>(kube, type, key, signal);
    if (there !== undefined) await deleteIfThere(kube, type, there, signal);
  }
  await dropRepositories({ kube, bucket }, options, signal);
}
