import type { KubeObject, Unstructured } from '@lateen/kube';
import { apiTime, type ServerState } from './server-state.ts';
import type { Entry } from './store.ts';

/** A test's object with what the server would have added: uid, creation time. Given values stay. */
export function completeObject(state: ServerState, object: KubeObject, before: Entry | undefined): Unstructured {
  const { resourceVersion: _, ...given } = object.metadata;
  const old = before?.object.metadata;
  return {
    ...object,
    metadata: {
      ...given,
      uid: given.uid ?? old?.uid ?? state.random.uuid(),
      creationTimestamp: given.creationTimestamp ?? old?.creationTimestamp ?? apiTime(state.clock),
    },
  };
}

/** A namespace that can be used at once. */
export const namespaceNamed = (name: string): KubeObject & { status: object } => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
  status: { phase: 'Active' },
});
