import type { RunProblem } from '../results/with-problems.ts';
import type { RunOperation } from './operations-kind.ts';

/** A failed operation as an error of the run, attributed to the item that started it. Pure. */
export function operationProblem({ spec, status }: RunOperation, by: string): RunProblem {
  const { Resource, Name, Namespace } = spec.resourceIdentifier;
  return {
    fields: { resource: Resource, name: Name, namespace: Namespace, reason: status.error ?? 'unknown' },
    message: `operation ${spec.operationID} of ${by} failed`,
  };
}
