import { isTerminalPhase } from '@lateen/api-types';
import { canceledSuffix } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { type KubeApi, type ObjectKey, readObject } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { DataPathResource, DataPathSubject } from './data-path-subject.ts';
import { mustBeOwn, mustNamePod, type OwnAttempt } from './own-attempt.ts';

export interface WatchPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  log: Logger;
  /** The name of this pod, as node-agent knows it; undefined when it was not set. */
  podUid: string | undefined;
}

/**
 * The custom resource once it is InProgress, which node-agent sets when its watcher is ready. No time limit of its own:
 * node-agent deletes the pod when preparing takes too long.
 * @param onSeen told of each sight of it, the last one included
 * @throws DATA_PATH_CANCELED, DATA_PATH_GONE, DATA_PATH_ENDED, DATA_PATH_NOT_OURS; the signal's reason
 */
export function waitInProgress(
  ports: WatchPorts,
  subject: DataPathSubject,
  key: ObjectKey,
  { onSeen, signal }: { onSeen: (resource: DataPathResource) => void; signal: AbortSignal },
): Promise<DataPathResource> {
  return waitForObject({
    ...objectOptions(ports, subject, key),
    until: (resource) => {
      if (resource !== undefined) onSeen(resource);
      const live = mustGoOn(resource, subject, key);
      return live.status?.phase === 'InProgress' ? mustNamePod(live, ports.podUid, subject) : undefined;
    },
    signal,
  });
}

/**
 * Aborts the returned signal when the custom resource asks for it, is deleted, or is no longer in progress: its node-agent
 * has ended it, or begun another attempt. Watches until `signal` aborts.
 */
export function watchForEnd(
  ports: WatchPorts,
  subject: DataPathSubject,
  key: ObjectKey,
  { own, signal }: { own: OwnAttempt; signal: AbortSignal },
): AbortSignal {
  const ended = new AbortController();
  const watching = waitForObject({
    ...objectOptions(ports, subject, key),
    until: (resource) => {
      mustBeOwn(mustGoOn(resource, subject, key), own, ports.podUid, subject);
      return undefined;
    },
    signal,
  });
  watching.catch((error: unknown) => {
    if (!signal.aborted) ended.abort(error);
  });
  return ended.signal;
}

const goneError = ({ kind }: DataPathSubject, { namespace, name }: ObjectKey): AppError =>
  new AppError('DATA_PATH_GONE', `${kind} ${namespace}/${name} does not exist`, {
    nextStep: 'It was deleted, or this pod outlived it.',
  });

function mustGoOn(resource: DataPathResource | undefined, subject: DataPathSubject, key: ObjectKey): DataPathResource {
  if (resource === undefined) throw goneError(subject, key);
  // The schema allows removing the whole spec.
  if (resource.spec?.cancel === true) throw new AppError('DATA_PATH_CANCELED', canceledSuffix);
  const phase = resource.status?.phase;
  if (phase !== undefined && isTerminalPhase(phase)) {
    throw new AppError('DATA_PATH_ENDED', `${subject.kind} ${key.namespace}/${key.name} has already ended as ${phase}`);
  }
  return resource;
}

/**
 * Asks the API server, which asks etcd: a get without a resourceVersion is never answered from a cache.
 * @throws DATA_PATH_GONE, DATA_PATH_ENDED, DATA_PATH_NOT_OURS; what KubeApi.get throws
 */
export async function askForOwn(
  { kube, podUid }: WatchPorts,
  subject: DataPathSubject,
  key: ObjectKey,
  { own, signal }: { own: OwnAttempt; signal: AbortSignal },
): Promise<void> {
  const resource = await readObject(kube, subject.type, key, signal);
  if (resource === undefined) throw goneError(subject, key);
  mustBeOwn(resource, own, podUid, subject);
}

const objectOptions = ({ kube, clock, random, log }: WatchPorts, subject: DataPathSubject, key: ObjectKey) => ({
  api: kube,
  type: subject.type,
  key,
  clock,
  random,
  log,
});
