import { isTerminalPhase } from '@lateen/api-types';
import { canceledSuffix } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi, ObjectKey } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { DataPathResource, DataPathSubject } from './data-path-subject.ts';

export interface WatchPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  log: Logger;
}

/**
 * The custom resource once it is InProgress, which node-agent sets when its watcher is ready. No time limit of its own:
 * node-agent deletes the pod when preparing takes too long.
 * @param onSeen told of each sight of it, the last one included
 * @throws DATA_PATH_CANCELED, DATA_PATH_GONE, DATA_PATH_ENDED; the signal's reason
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
      return live.status?.phase === 'InProgress' ? live : undefined;
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
  signal: AbortSignal,
): AbortSignal {
  const ended = new AbortController();
  const watching = waitForObject({
    ...objectOptions(ports, subject, key),
    until: (resource) => {
      mustBeUnderWay(mustGoOn(resource, subject, key), subject, key);
      return undefined;
    },
    signal,
  });
  watching.catch((error: unknown) => {
    if (!signal.aborted) ended.abort(error);
  });
  return ended.signal;
}

function mustGoOn(resource: DataPathResource | undefined, subject: DataPathSubject, key: ObjectKey): DataPathResource {
  if (resource === undefined) {
    throw new AppError('DATA_PATH_GONE', `${subject.kind} ${key.namespace}/${key.name} does not exist`, {
      nextStep: 'It was deleted, or this pod outlived it.',
    });
  }
  if (resource.spec.cancel === true) throw new AppError('DATA_PATH_CANCELED', canceledSuffix);
  const phase = resource.status?.phase;
  if (phase !== undefined && isTerminalPhase(phase)) {
    throw new AppError('DATA_PATH_ENDED', `${subject.kind} ${key.namespace}/${key.name} has already ended as ${phase}`);
  }
  return resource;
}

/** Canceling comes with spec.cancel, which is looked at first. */
function mustBeUnderWay(resource: DataPathResource, subject: DataPathSubject, key: ObjectKey): void {
  const phase = resource.status?.phase;
  if (phase === 'InProgress' || phase === 'Canceling') return;
  const text = `${subject.kind} ${key.namespace}/${key.name} is no longer InProgress but ${phase || 'New'}`;
  throw new AppError('DATA_PATH_ENDED', text, {
    nextStep: 'Another attempt is made, or somebody has changed its status.',
  });
}

const objectOptions = ({ kube, clock, random, log }: WatchPorts, subject: DataPathSubject, key: ObjectKey) => ({
  api: kube,
  type: subject.type,
  key,
  clock,
  random,
  log,
});
