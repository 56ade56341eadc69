import { apiVersionOf } from '@lateen/kube';
import type { Run, RunNoun } from './run-noun.ts';

export interface WantedRun<T extends Run> {
  name: string;
  namespace: string;
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
  spec: T['spec'];
}

/** Builds the object of a run; pure. */
export function newRun<T extends Run>(
  { type }: RunNoun<T>,
  { name, namespace, labels, annotations, spec }: WantedRun<T>,
): Pick<T, keyof Run> {
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec,
  };
}
