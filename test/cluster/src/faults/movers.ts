import { readdir, readFile } from 'node:fs/promises';
import { type DataUpload, dataUploadType, podType } from '@lateen/api-types';
import { systemClock } from '@lateen/kernel';
import { waitForObject } from '@lateen/kube-runtime';
import { execa } from 'execa';
import type { ClusterFault } from './cluster-fault.ts';
import { aLocation, type FaultPlace } from './fault-place.ts';

const upload = ({ namespace }: FaultPlace) => ({ namespace, name: namespace });
const backupFailed = 'data path backup failed: ';

/** An eviction request, as `kubectl drain` sends it. */
async function evict({ lateen, namespace }: FaultPlace): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods/${namespace}/eviction`;
  const input = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name: namespace } });
  await execa(lateen.kubectl, ['--kubeconfig', lateen.kubeconfig, 'create', '--raw', path, '-f', '-'], { input });
}

/** The mover process of this upload, found by the volume in its arguments. */
async function killMover(place: FaultPlace): Promise<void> {
  const { metadata } = await place.kube.get(dataUploadType, upload(place));
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    // A process may have ended before it is read.
    const commandLine = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
    const isMover =
      commandLine.includes(`--data-upload=${place.namespace}`) && commandLine.includes(`/${metadata.uid}`);
    if (isMover) return void process.kill(Number(entry), 'SIGKILL');
  }
  throw new Error('there is no data mover to kill');
}

/** Waits for a message with this prefix while the movement runs. @throws when it does not appear within a minute */
async function untilSaid(place: FaultPlace, words: string): Promise<void> {
  await waitForObject<DataUpload, true>({
    api: place.kube,
    type: dataUploadType,
    key: upload(place),
    clock: systemClock,
    signal: systemClock.deadline(60_000),
    until: (seen) => (seen?.status?.message?.startsWith(words) === true ? true : undefined),
  });
}

/** The pod runs, and its object store does not answer until the fault has happened. */
export const moverFaults: readonly ClusterFault[] = [
  {
    name: 'the object store is down',
    direction: 'upload',
    prepare: (place) => place.apply(aLocation(place.namespace, `http://${place.silent}:9001`)),
    ends: 'failed',
    message: `${backupFailed}Failed to run data path service for DataUpload {upload}: {doing}: the object store cannot be reached: {repository}connection refused{more}Check s3Url, network and certificates of the BackupStorageLocation.`,
  },
  {
    name: 'the repository password is missing',
    direction: 'upload',
    prepare: (place) =>
      place.remove({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: place.namespace, name: 'velero-repo-credentials' },
      }),
    ends: 'failed',
    message: `${backupFailed}Failed to run data path service for DataUpload {upload}: Secret {namespace}/velero-repo-credentials with the repository password does not exist. Create it with key repository-password.`,
  },
  {
    name: 'somebody deletes the pod',
    direction: 'upload',
    whileRunning: async (place) => {
      await place.kube.delete(podType, upload(place));
    },
    ends: 'failed',
    message: `${backupFailed}{said} was deleted before it ended{end} Find out who deletes pods there, then start again.`,
  },
  {
    name: 'the object store takes connections and says nothing',
    direction: 'upload',
    whileRunning: async (place) => {
      await untilSaid(place, 'waiting: the data mover has reported nothing since');
      await place.kube.delete(podType, upload(place));
    },
    ends: 'failed',
    message: `${backupFailed}{said} was deleted before it ended{end} Find out who deletes pods there, then start again.`,
  },
  {
    name: 'the pod is evicted by the eviction API',
    direction: 'upload',
    whileRunning: evict,
    ends: 'failed',
    message: `${backupFailed}{said} was deleted before it ended: the kubelet or the eviction API evicted the pod{end} Free resources on the node, or set requests with podResources in the node-agent configuration.`,
  },
  {
    name: 'the mover is killed with signal 9',
    direction: 'upload',
    whileRunning: killMover,
    ends: 'failed',
    message: `${backupFailed}pod {pod} failed: its container ended with exit code 137, by signal SIGKILL. Check what ends processes on that node; its kernel log names those that the kernel has ended.`,
  },
];
