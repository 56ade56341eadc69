import { annotations, namespaceType, type Pod, podType } from '@lateen/api-types';
import { podShell } from '@lateen/demo';
import type { RunningLateen } from '@lateen/installation';
import type { Clock } from '@lateen/kernel';
import { waitForObject } from '@lateen/kube-runtime';

/** 20 pods with two volumes of 12.5 MB each, on one node. */
export const size = { pods: 20, volumes: ['a', 'b'], files: 100, fileBytes: 125_000 } as const;

export const rawPod = 'raw';
const podNames = Array.from({ length: size.pods }, (_, at) => `app-${at + 1}`);
/** Directories of the pod for kopia alone: as many as there are volumes. */
export const rawDirectories = podNames.flatMap((pod) => size.volumes.map((volume) => `/data/${pod}-${volume}`));

export interface PodVolumesContext {
  lateen: RunningLateen;
  clock: Clock;
  namespace: string;
  signal: AbortSignal;
}

/** Creates the pods and fills their volumes. */
export async function createPods(context: PodVolumesContext): Promise<void> {
  const { lateen, namespace, signal } = context;
  await lateen.kube.create(
    namespaceType,
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { signal },
  );
  for (const name of podNames) await lateen.kube.create(podType, aPod(context, name, size.volumes), { signal });
  await untilPodsReady(context);
  for (const name of podNames) {
    const directories = size.volumes.map((volume) => `/data/${volume}`);
    await shellOf(context, name).run(['sh', '-ec', fill(directories)]);
  }
}

/** A pod in a separate namespace with the same amount of data, for kopia alone. */
export async function createRawPod(context: PodVolumesContext): Promise<void> {
  const { lateen, namespace, signal } = context;
  const { kube } = lateen;
  await kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, { signal });
  await kube.create(podType, aPod(context, rawPod, []), { signal });
  await untilReady(context, rawPod);
  await shellOf(context, rawPod).run(['sh', '-ec', fill(rawDirectories)]);
}

/** Waits until all pods of the workload are running and ready. */
export async function untilPodsReady(context: PodVolumesContext): Promise<void> {
  await Promise.all(podNames.map((name) => untilReady(context, name)));
}

export const shellOf = ({ lateen, namespace, signal }: PodVolumesContext, pod: string) =>
  podShell({ ...lateen, namespace, pod, signal });

/** Random data, which can be neither compressed nor deduplicated. */
const fill = (directories: readonly string[]): string =>
  [
    ...directories.map(
      (directory) =>
        `mkdir -p ${directory} && cd ${directory} && for i in $(seq ${size.files}); do head -c ${size.fileBytes} /dev/urandom > file-$i; done`,
    ),
    'sync',
  ].join('\n');

function aPod({ lateen, namespace }: PodVolumesContext, name: string, volumes: readonly string[]): Pod {
  const { image } = lateen;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      name,
      ...(volumes.length === 0 ? {} : { annotations: { [annotations.backupVolumes]: volumes.join(',') } }),
    },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'app',
          image,
          imagePullPolicy: 'IfNotPresent',
          command: ['sleep', 'infinity'],
          volumeMounts: volumes.map((volume) => ({ name: volume, mountPath: `/data/${volume}` })),
        },
      ],
      volumes: volumes.map((volume) => ({ name: volume, emptyDir: {} })),
    },
  };
}

async function untilReady({ lateen, clock, namespace, signal }: PodVolumesContext, name: string): Promise<void> {
  await waitForObject<Pod, true>({
    api: lateen.kube,
    type: podType,
    key: { namespace, name },
    clock,
    signal,
    until: (pod) =>
      pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ? true : undefined,
  });
}
