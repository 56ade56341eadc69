import { type AppError, isAppError } from '@lateen/errors';

/**
 * How a data path can be lost for a reason outside the data. Each is a code of the error that `onFailed` gets; the
 * values say what they mean.
 */
export const interruptions = {
  DATA_PATH_POD_GONE: 'the pod was deleted before it ended',
  DATA_PATH_EVICTED: 'the kubelet or the eviction API evicted the pod',
  DATA_PATH_PREEMPTED: 'a pod of higher priority took its place',
  DATA_PATH_NODE_LOST: 'the node shut down, crashed or no longer reports',
  DATA_PATH_OUT_OF_MEMORY: 'the container hit its memory limit',
  DATA_PATH_KILLED: 'a signal ended the container',
  DATA_PATH_NOT_STARTED: 'the pod ended before the mover started',
  DATA_PATH_NO_RESULT: 'the mover ended well, but its result got lost: neither the kubelet nor an Event has it',
  DATA_PATH_INTERRUPTED: 'the mover says that it, or its engine, was ended from outside',
} as const;

export type Interruption = keyof typeof interruptions;

/** Deep enough for every chain we build; stops a cyclic `cause`. */
const causesMax = 8;

/**
 * True when the data path ended for a reason outside the data, so that the same path may succeed when it is run again
 * in a new pod. False for everything that the mover or its engine reports about data, repository, location or
 * credentials, for results that contradict each other, and for errors that are no end of a data path. Looks through `cause`, so an error that wraps the end counts too.
 */
export const isInterruption = (error: unknown): boolean => interruptionIn(error) !== undefined;

/**
 * True when kubelet, or the mover itself, has said that the mover of an interrupted data path has ended. Otherwise it may
 * still be at work: its node is cut off, or somebody has taken its pod's object away by force.
 */
export const moverHasEnded = (error: unknown): boolean => interruptionIn(error)?.details.moverEnded === true;

function interruptionIn(error: unknown): AppError | undefined {
  let current = error;
  for (let depth = 0; current !== undefined && current !== null && depth < causesMax; depth++) {
    if (isAppError(current) && Object.hasOwn(interruptions, current.code)) return current;
    current = current instanceof Error ? current.cause : undefined;
  }
  return undefined;
}
