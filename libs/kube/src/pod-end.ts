import { constants } from 'node:os';
import type { ContainerState, Pod } from '@lateen/api-types';

type Terminated = NonNullable<ContainerState['terminated']>;

/** A program that a signal ended has 128 and the number of the signal as its exit code. */
const signalExitCodes = { first: 129, last: 192 } as const;

/** The number of the signal that ended the container. Runtimes tell it by the exit code alone, and leave `signal` out. */
export function endingSignal({ exitCode, signal }: Pick<Terminated, 'exitCode' | 'signal'>): number | undefined {
  if (signal !== undefined && signal !== 0) return signal;
  const isSignals = exitCode >= signalExitCodes.first && exitCode <= signalExitCodes.last;
  return isSignals ? exitCode - signalExitCodes.first + 1 : undefined;
}

/**
 * How a container ended: "ended with exit code 137 (OOMKilled)". What the exit code leaves open follows it: the runtime's reason, or else the
 * signal by its name. 139, for example, is SIGSEGV: the program crashed, and no other process sent the signal.
 */
export function containerEndText(terminated: Pick<Terminated, 'exitCode' | 'signal' | 'reason'>): string {
  const text = `ended with exit code ${terminated.exitCode}`;
  const { reason } = terminated;
  if (reason !== undefined && reason !== '' && reason !== 'Error') return `${text} (${reason})`;
  const signal = endingSignal(terminated);
  if (signal === undefined) return text;
  const [name = String(signal)] = Object.entries(constants.signals).find(([, number]) => number === signal) ?? [];
  return `${text}, by signal ${name}`;
}

/**
 * Why a pod ended when its own program does not say: the kubelet's reason (Evicted), then the reason of the program that ended it from outside (condition
 * DisruptionTarget), then how its container ended.
 */
export function podEndCause({ status }: Pod, terminated: Terminated | undefined): string {
  if (status?.reason) return withMessage(status.reason, status.message);
  // Set by the program that ends a pod from outside, if the pod object still existed.
  const target = status?.conditions?.find((each) => each.type === 'DisruptionTarget' && each.status === 'True');
  if (target !== undefined) return withMessage(target.reason || 'disrupted', target.message);
  return terminated === undefined
    ? 'it ended without a container status'
    : `its container ${containerEndText(terminated)}`;
}

const withMessage = (reason: string, message: string | undefined): string =>
  message ? `${reason}: ${message}` : reason;
