import { backupRepositoryType, dataUploadType } from '@lateen/api-types';
import {
  createWorkload,
  deleteNamespace,
  emptyPrefix,
  lateenCli,
  podName,
  podShell,
  pvcName,
  recordMovement,
  volumePath,
  waitForPod,
} from '@lateen/demo';
import type { RunningLateen } from '@lateen/installation';
import { type Clock, systemRandom } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import type { BenchRow } from './bench-row.ts';
import { median } from './median.ts';
import { podReadyMs } from './pod-ready.ts';
import { rawKopia } from './raw-kopia.ts';

const runs = 5;

interface VolumeCase {
  title: string;
  files: number;
  fileBytes: number;
  size: string;
  /** The maximum allowed time, ms, from medians of the same run. */
  limitMs(raw: number, podReady: number): number;
  target: string;
}

/** Issue 3, "Figures to reach". */
const cases: readonly VolumeCase[] = [
  {
    title: '13 MB volume',
    files: 100,
    fileBytes: 130_000,
    size: '128Mi',
    limitMs: (raw, podReady) => podReady + raw + 1500,
    target: 'at most pod ready + raw kopia + 1.5 s',
  },
  {
    title: '612 MB volume',
    files: 36,
    fileBytes: 17_000_000,
    size: '1Gi',
    limitMs: (raw) => raw * 1.15 + 3000,
    target: 'at most raw kopia × 1.15 + 3 s',
  },
];

/** DataUpload from created to Completed, compared with kopia alone on the same directory; medians of 5, with new random data each time. */
export async function benchDataMovement(
  lateen: RunningLateen,
  { clock, root, signal, say }: { clock: Clock; root: string; signal: AbortSignal; say(text: string): void },
): Promise<BenchRow[]> {
  const { cluster } = lateen;
  if (cluster === undefined) return [];
  const rows: BenchRow[] = [];
  try {
    for (const volumeCase of cases) {
      say(`${volumeCase.title}: ${runs} runs`);
      rows.push(...(await benchCase(volumeCase, { lateen, clock, root, signal, say })));
    }
  } finally {
    await removeRepositories(lateen);
  }
  return rows;
}

/** Deletes the repositories of the benchmark, ours and kopia's: several GB that are not needed any more. */
export async function removeRepositories({ kube, veleroNamespace: namespace, bucket }: RunningLateen): Promise<void> {
  const { items } = await kube.list(backupRepositoryType, { namespace });
  for (const item of items.filter((each) => each.spec.volumeNamespace.startsWith('bench-')))
    await kube.delete(backupRepositoryType, keyOf(item));
  if (bucket !== undefined) await emptyPrefix(bucket, 'kopia/bench-', AbortSignal.any([]));
}

interface CaseContext {
  lateen: RunningLateen;
  clock: Clock;
  root: string;
  signal: AbortSignal;
  say(text: string): void;
}

async function benchCase(volumeCase: VolumeCase, context: CaseContext): Promise<BenchRow[]> {
  const { lateen, clock, signal, say } = context;
  const namespace = `bench-${systemRandom.suffix(5)}`;
  const { image, storageClass } = lateen;
  await createWorkload(
    lateen.kube,
    { namespace, image, storageClass, volumeSize: volumeCase.size, withPvc: true },
    signal,
  );
  const times: { raw: number; movement: number; podReady: number }[] = [];
  try {
    await waitForPod(lateen.kube, namespace, clock, signal);
    const shell = podShell({ ...lateen, namespace, pod: podName, signal });
    const raw = await rawKopia({ s3: s3Of(lateen), shell });
    // Run 0 creates the repository of this namespace and is a warm-up of both; it is not counted.
    for (let run = 0; run <= runs; run++) {
      await fill(volumeCase, namespace, context);
      const rawMs = await raw.snapshot(volumePath);
      const podReady = await podReadyMs(lateen, clock, signal);
      const movement = await uploadMs(namespace, run, context);
      say(
        `  run ${run}: kopia ${Math.round(rawMs)} ms, pod ready ${Math.round(podReady)} ms, movement ${Math.round(movement)} ms`,
      );
      if (run > 0) times.push({ raw: rawMs, movement, podReady });
    }
  } finally {
    await deleteNamespace(lateen.kube, namespace, clock, signal);
  }
  const rawMs = median(times.map((each) => each.raw));
  const podReady = median(times.map((each) => each.podReady));
  const movement = median(times.map((each) => each.movement));
  const { title, target } = volumeCase;
  return [
    {
      name: `${title}: kopia alone`,
      value: rawMs,
      unit: 'ms',
      note: 'connect and snapshot, the same directory and S3 server',
    },
    { name: `${title}: pod ready`, value: podReady, unit: 'ms', note: 'a pod of the same image, no volume' },
    {
      name: `${title}: DataUpload`,
      value: movement,
      unit: 'ms',
      target,
      reached: movement <= volumeCase.limitMs(rawMs, podReady),
    },
    { name: `${title}: DataUpload / kopia alone`, value: movement / rawMs, unit: '×' },
    { name: `${title}: over kopia and pod ready`, value: movement - rawMs - podReady, unit: 'ms' },
  ];
}

async function fill(
  { files, fileBytes }: VolumeCase,
  namespace: string,
  { lateen, signal }: CaseContext,
): Promise<void> {
  const shell = podShell({ kubectl: lateen.kubectl, kubeconfig: lateen.kubeconfig, namespace, pod: podName, signal });
  const script = `cd /data && for i in $(seq ${files}); do head -c ${fileBytes} /dev/urandom > file-$i; done && sync -f /data`;
  await shell.run(['sh', '-c', script]);
}

function s3Of({ cluster }: RunningLateen) {
  if (cluster === undefined) throw new Error('only a cluster of our own tells the keys of its S3 server');
  return { ...cluster.s3, endpoint: cluster.s3.endpointForPods };
}

async function uploadMs(namespace: string, run: number, { lateen, clock, root, signal }: CaseContext): Promise<number> {
  const name = `${namespace}-${run}`;
  const { kube, veleroNamespace } = lateen;
  const recording = recordMovement(
    name,
    { kube, clock, type: dataUploadType, key: { namespace: veleroNamespace, name } },
    signal,
  );
  recording.catch(() => {});
  await lateenCli(root, lateen.kubeconfig, signal)(['volume', 'upload', `${namespace}/${pvcName}`, '--name', name]);
  const record = await recording;
  await kube.delete(dataUploadType, { namespace: veleroNamespace, name }, { signal });
  return record.endedAtMs - record.startedAtMs;
}
