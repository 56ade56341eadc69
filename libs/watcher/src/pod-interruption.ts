import type { Pod } from '@lateen/api-types';
import type { AppError } from '@lateen/errors';
import { keyOf, keyText } from '@lateen/kube';
import { isInterruption } from './interruption.ts';
import { podEnd } from './pod-report.ts';
import { judge } from './verdict.ts';

/**
 * The loss of a hosting pod that no watch was attached to: before its data path was begun, or while the node-agent was
 * away. Undefined when the pod has not ended, or has ended by itself.
 */
export function podInterruption(pod: Pod, container: string): AppError | undefined {
  const end = podEnd(pod, container);
  if (end === undefined || end.succeeded) return undefined;
  const verdict = judge({ podName: keyText(keyOf(pod)), podEnd: end }, { final: true, early: false });
  return verdict.kind === 'failed' && isInterruption(verdict.error) ? verdict.error : undefined;
}
