import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { backupStorageLocationType, dataUploadType, eventType, type Pod, podType, secretType } from '@lateen/api-types';
import { podShell } from '@lateen/demo';
import { systemClock } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { KnownSecret } from '@lateen/testing';
import { aDataUpload } from '../environment/movement-of.ts';
import type { LateenUnderTest } from '../environment/provided-lateen.ts';
import { freshSecret } from './fresh-secret.ts';

/** A value that is leaked on purpose in one way, and the kinds of places where the search has to find it. */
export interface Decoy extends KnownSecret {
  kinds: readonly string[];
}

const decoy = (name: string, ...kinds: string[]): Decoy => ({ ...freshSecret(`decoy ${name}`), kinds });

/** One decoy for each kind of leak, each in another form. */
export const decoys = {
  log: decoy('in the log of a container that was started again, of a pod that is gone', 'log'),
  event: decoy('in an Event', 'object', 'API'),
  status: decoy('in a status', 'object', 'API'),
  annotation: decoy('in an annotation', 'object', 'API', 'output'),
  argument: decoy('in an argument', 'argument'),
  environment: decoy('in the environment of a container', 'file'),
  container: decoy('in the root file system of a container', 'file'),
  volume: decoy('in a pod’s own volume', 'file'),
  restored: decoy('in a file on the host that looks old', 'file'),
  fileName: decoy('in the name of a file', 'file'),
  memory: decoy('in the memory-backed storage for secrets', 'file'),
} as const satisfies Record<string, Decoy>;

const secretName = 'decoy';

export interface DecoyPlace {
  lateen: LateenUnderTest;
  /** Namespace of the installation. */
  namespace: string;
  /** A namespace without custom resources of the installation. */
  volumes: string;
  /** Name of a BackupStorageLocation. */
  location: string;
  /** A searched folder on the host. */
  directory: string;
}

/** Leaks all decoys; they stay as long as the namespaces and the folder. Resolves with the UID of a pod. */
export async function plantDecoys(place: DecoyPlace): Promise<string> {
  const [uid] = await Promise.all([inPods(place), inObjects(place), inArguments(), onHost(place.directory)]);
  return uid;
}

async function inObjects({ lateen: { kube }, namespace, volumes, location }: DecoyPlace): Promise<void> {
  const message = `said ${Buffer.from(`key=${decoys.event.value}`).toString('base64url')}`;
  const involvedObject = { apiVersion: 'v1', kind: 'Namespace', namespace: volumes, name: volumes };
  const metadata = { namespace: volumes, name: 'decoy' };
  await kube.create(eventType, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata,
    involvedObject,
    reason: 'Decoy',
    message,
  } as never);
  const status = {
    phase: 'Failed' as const,
    message: `GET https://host/?key=${encodeURIComponent(decoys.status.value)}`,
  };
  await kube.create(dataUploadType, { ...aDataUpload(volumes, 'decoy', {}), status });
  const annotations = { 'lateen.dev/decoy': decoys.annotation.value };
  const key = { namespace, name: location };
  await kube.patch(backupStorageLocationType, key, { type: 'merge', body: { metadata: { annotations } } });
}

/** Runs long enough to be seen by a sampler that looks many times a second. */
async function inArguments(): Promise<void> {
  await once(spawn('sh', ['-c', 'sleep 1; true', decoys.argument.value], { stdio: 'ignore' }), 'close');
}

async function onHost(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, 'restored');
  await writeFile(path, Buffer.from(decoys.restored.value).toString('hex'));
  await utimes(path, 0, 0);
  await writeFile(join(directory, encodeURIComponent(decoys.fileName.value)), '');
}

async function inPods(place: DecoyPlace): Promise<string> {
  const { kube } = place.lateen;
  const data = { value: Buffer.from(decoys.environment.value).toString('base64') };
  const metadata = { namespace: place.namespace, name: secretName };
  await kube.create(secretType, { apiVersion: 'v1', kind: 'Secret', metadata, data });
  const talking = await kube.create(podType, talkingPod(place));
  const holding = await kube.create(podType, holdingPod(place));
  await until(place, talking, (pod) => (pod.status?.containerStatuses?.[0]?.restartCount ?? 0) > 0);
  await kube.delete(podType, keyOf(talking));
  await until(place, holding, (pod) => pod.status?.phase === 'Running');
  const { name: pod, namespace = '' } = keyOf(holding);
  const shell = podShell({ ...place.lateen, namespace, pod, signal: AbortSignal.any([]) });
  const write = (path: string, text: string) => shell.run(['sh', '-c', `cat > ${path}`], text);
  await write('/tmp/left', JSON.stringify(JSON.stringify({ password: decoys.container.value })));
  await write('/scratch/left', `<Key>${decoys.volume.value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</Key>`);
  await write('/secrets/left', decoys.memory.value);
  return holding.metadata.uid ?? '';
}

async function until({ lateen: { kube } }: DecoyPlace, pod: Pod, holds: (pod: Pod) => boolean): Promise<void> {
  await waitForObject<Pod, true>({
    api: kube,
    type: podType,
    key: keyOf(pod),
    clock: systemClock,
    signal: systemClock.deadline(120_000),
    until: (seen) => (seen !== undefined && holds(seen) ? true : undefined),
  });
}

/** Prints the value once, in base64, and restarts. The pod's own arguments have it only reversed. */
function talkingPod(place: DecoyPlace): Pod {
  const backwards = Buffer.from(decoys.log.value).reverse().toString('hex');
  const say = `console.log(Buffer.from('${backwards}','hex').reverse().toString('base64'))`;
  return podOf(
    place,
    'decoy-talks',
    `[ -e /scratch/once ] && exec sleep infinity; touch /scratch/once; node -e "${say}"; exit 1`,
  );
}

const holdingPod = (place: DecoyPlace): Pod => podOf(place, 'decoy-holds', 'exec sleep infinity');

function podOf({ lateen, namespace }: DecoyPlace, name: string, script: string): Pod {
  const volumeMounts = ['scratch', 'secrets'].map((each) => ({ name: each, mountPath: `/${each}` }));
  const env = [{ name: 'DECOY', valueFrom: { secretKeyRef: { name: secretName, key: 'value' } } }];
  const container = { name: 'main', image: lateen.image, imagePullPolicy: 'Never' as const, volumeMounts, env };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ ...container, command: ['sh', '-c', script] }],
      volumes: [
        { name: 'scratch', emptyDir: {} },
        { name: 'secrets', emptyDir: { medium: 'Memory' } },
      ],
    },
  };
}
