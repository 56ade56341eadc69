import type { Pod } from '@lateen/api-types';
import type { Movement } from '@lateen/data-movement';
import type { FenceLimits, Uploader, VolumeMode } from '@lateen/datapath';
import { type Clock, type Random, silentLogger } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { type EventRecorder, eventRecorder } from '@lateen/kube-runtime';
import { moveVolume } from '@lateen/mover';

/** One hosting pod's mover, with an engine that the test controls. */
export interface MoverProcess {
  pod: Pod;
  movement: Movement;
  volumeMode: VolumeMode;
  /** The API as this process sees it. */
  kube: KubeApi;
  clock: Clock;
  random: Random;
  engine: Uploader;
  /** Rejects when the repository cannot be opened. */
  open?(signal: AbortSignal): Promise<void>;
  fenceLimits?: Partial<FenceLimits> | undefined;
  /** False for an Event that is lost. */
  tells?(reason: string): boolean;
}

/** What the kubelet finds when the process has ended by itself. */
export interface MoverEnd {
  exitCode: 0 | 1;
  terminationMessage: string;
}

const resourceTimeoutMs = 600_000;

const dataPaths = {
  DataUpload: 'data-upload',
  DataDownload: 'data-download',
  PodVolumeBackup: 'pod-volume-backup',
  PodVolumeRestore: 'pod-volume-restore',
} as const;

/**
 * The loop of the product as it runs in a pod, from its start to its last Event. `dead` is SIGKILL: none of its calls is carried out any
 * more, and its result is ignored.
 */
export async function runMoverProcess(process: MoverProcess, dead: AbortSignal): Promise<MoverEnd> {
  const { kube, clock, random, movement, volumeMode, engine, open } = process;
  const { name = '', namespace = '', uid = '' } = movement.metadata;
  const log = silentLogger;
  let terminationMessage = '';
  const exitCode = await moveVolume(
    {
      dataPath: dataPaths[movement.kind as keyof typeof dataPaths],
      volumePath: `/${uid}`,
      volumeMode,
      name,
      resourceTimeoutMs,
    },
    {
      kube,
      clock,
      random,
      log,
      namespace,
      podUid: process.pod.metadata.uid,
      events: eventsOf(process, dead),
      writeTermination: async (message) => {
        terminationMessage = message;
      },
      fenceLimits: process.fenceLimits,
      checkVolume: async () => {},
      isMarked: async () => false,
      markVolume: async () => {},
      openEngine: async (_wish, _resource, signal) => {
        await open?.(signal);
        return { uploader: engine, close: async () => {} };
      },
    },
    dead,
  );
  return { exitCode, terminationMessage };
}

/** Events that the process can still send and that are not lost. */
function eventsOf({ kube, clock, random, pod, tells }: MoverProcess, dead: AbortSignal): EventRecorder {
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  const host = pod.spec.nodeName ?? '';
  const related = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
  const events = eventRecorder({ api: kube, component: name, host, related, clock, random, log: silentLogger });
  return {
    record: (subject, reason, message, options) => {
      if (!dead.aborted && tells?.(reason) !== false) events.record(subject, reason, message, options);
    },
    flush: (signal) => (dead.aborted ? Promise.resolve(true) : events.flush(signal)),
  };
}
